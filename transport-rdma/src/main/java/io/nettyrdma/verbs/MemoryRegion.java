/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.jni.VerbsNative;
import io.nettyrdma.metrics.ProcessMetrics;

/**
 * Memory that is registered with a device. Closing the region deregisters the memory; work requests that still use it
 * then fail with a protection error. Closing does not free the memory, which still belongs to its owner. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class MemoryRegion extends VerbsObject {

    private final ProtectionDomain protectionDomain;
    private final long address;
    private final long length;
    private final int access;
    private final int localKey;
    private final int remoteKey;

    /** Keeps the memory reachable while the device may access it. */
    @SuppressWarnings({ "unused", "FieldCanBeLocal" })
    private Object owner;

    MemoryRegion(ProtectionDomain protectionDomain, long address, long length, Object owner, MemoryAccess... access)
            throws VerbsException {
        super(protectionDomain);
        this.protectionDomain = protectionDomain;
        this.address = address;
        this.length = length;
        this.owner = owner;
        try {
            this.access = MemoryAccess.regionFlags(access);
            check(address, length);
        } catch (IllegalArgumentException e) {
            abandoned();
            throw e;
        }
        created(VerbsNative.registerMemory(protectionDomain.handle(), address, length, this.access), "ibv_reg_mr",
                length + " bytes at 0x" + Long.toHexString(address) + " in " + protectionDomain);
        localKey = VerbsNative.localKey(handle());
        remoteKey = VerbsNative.remoteKey(handle());
        ProcessMetrics.registered(protectionDomain.device().name(), length);
    }

    /** {@return the domain of the region} */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /** {@return address of the first byte} */
    public long address() {
        return address;
    }

    /** {@return length in bytes} */
    public long length() {
        return length;
    }

    /** {@return the lkey: local work requests name the region by it} All 32 bits are significant. */
    public int localKey() {
        handle();
        return localKey;
    }

    /** {@return the rkey: one-sided work requests of the peer name the region by it} */
    public int remoteKey() {
        handle();
        return remoteKey;
    }

    boolean allows(MemoryAccess what) {
        return what.isIn(access);
    }

    /** The address at {@code offset}. Throws if the region is closed or does not contain the range. */
    long addressOf(long offset, int rangeLength) {
        handle();
        if (offset < 0 || rangeLength < 0 || offset > length - rangeLength) {
            throw new IndexOutOfBoundsException(rangeLength + " bytes at " + offset + " are not within " + this);
        }
        return address + offset;
    }

    @Override
    protected int destroy(long handle) {
        int result = VerbsNative.deregisterMemory(handle);
        if (result >= 0) {
            owner = null;
            ProcessMetrics.registered(protectionDomain.device().name(), -length);
        }
        return result;
    }

    @Override
    protected String destroyCall() {
        return "ibv_dereg_mr";
    }

    @Override
    public String toString() {
        return "memory region #" + context() + " (" + length + " bytes at 0x" + Long.toHexString(address) + ')';
    }

    private static void check(long address, long length) {
        if (address == 0) {
            throw new IllegalArgumentException("cannot register the null address");
        }
        if (length <= 0) {
            throw new IllegalArgumentException("cannot register " + length + " bytes");
        }
        if (Long.compareUnsigned(address + length, address) < 0) {
            throw new IllegalArgumentException(length + " bytes at 0x" + Long.toHexString(address)
                    + " reach beyond the end of the address space");
        }
    }
}
