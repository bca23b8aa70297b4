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
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.jni.VerbsNative;

import java.nio.ByteBuffer;

/**
 * A set of memory regions, queue pairs and address handles that may be used together ({@code struct ibv_pd}). Any
 * thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class ProtectionDomain extends VerbsObject {

    private final RdmaDevice device;

    ProtectionDomain(RdmaDevice device) throws VerbsException {
        super(device);
        this.device = device;
        created(VerbsNative.allocateProtectionDomain(device.handle()), "ibv_alloc_pd", device);
    }

    /** {@return the device of the domain} */
    public RdmaDevice device() {
        return device;
    }

    /**
     * Registers a whole direct buffer, from 0 to its capacity. The region keeps the buffer reachable.
     *
     * @param direct a direct buffer.
     * @param access what the device and the peers may do.
     * @return the caller's to close, before the domain.
     * @throws VerbsException if it is refused, with the reason.
     */
    public MemoryRegion register(ByteBuffer direct, MemoryAccess... access) throws VerbsException {
        return new MemoryRegion(this, NativeMemory.address(direct), direct.capacity(), direct, access);
    }

    /**
     * Registers memory by address.
     *
     * @param address of the first byte.
     * @param length bytes, at least 1.
     * @param owner the object that keeps the memory alive; the region keeps it reachable. {@code null} if the caller
     *        guarantees that the memory outlives the region.
     * @param access what the device and the peers may do.
     * @return the caller's to close, before the domain.
     * @throws VerbsException if it is refused, with the reason.
     */
    public MemoryRegion register(long address, long length, Object owner, MemoryAccess... access)
            throws VerbsException {
        return new MemoryRegion(this, address, length, owner, access);
    }

    /**
     * Creates a receive queue for several queue pairs.
     *
     * @param requests receives that may be posted.
     * @param sge SGEs of each receive.
     * @return the caller's to close, before the domain.
     * @throws VerbsException if it is refused, with the reason.
     */
    public SharedReceiveQueue createSharedReceiveQueue(int requests, int sge) throws VerbsException {
        return new SharedReceiveQueue(this, requests, sge);
    }

    /**
     * Creates a queue pair that has its own receive queue.
     *
     * @param config what is wanted.
     * @param sends gets the completions of sends.
     * @param receives gets the completions of receives.
     * @return the caller's to close, before the domain and the queues.
     * @throws VerbsException if it is refused, with the reason.
     */
    public QueuePair createQueuePair(QueuePairConfig config, CompletionQueue sends, CompletionQueue receives)
            throws VerbsException {
        return new QueuePair(this, config, sends, receives, null);
    }

    /**
     * Creates a queue pair that uses a shared receive queue; the receive limits of the config are ignored.
     *
     * @param config what is wanted.
     * @param sends gets the completions of sends.
     * @param receives gets the completions of receives.
     * @param shared the receive queue.
     * @return the caller's to close, before the domain and the queues.
     * @throws VerbsException if it is refused, with the reason.
     */
    public QueuePair createQueuePair(QueuePairConfig config, CompletionQueue sends, CompletionQueue receives,
                                     SharedReceiveQueue shared) throws VerbsException {
        return new QueuePair(this, config, sends, receives, shared);
    }

    /**
     * Creates an address handle. May block on the device's admin queue (EFA): do not call it on an event loop.
     *
     * @param vector where it leads to.
     * @return the caller's to close, before the domain.
     * @throws VerbsException if it is refused, with the reason.
     */
    public AddressHandle createAddressHandle(AddressVector vector) throws VerbsException {
        return new AddressHandle(this, vector);
    }

    @Override
    protected int destroy(long handle) {
        return VerbsNative.deallocateProtectionDomain(handle);
    }

    @Override
    protected String destroyCall() {
        return "ibv_dealloc_pd";
    }

    @Override
    public String toString() {
        return "protection domain #" + context() + " of " + device;
    }
}
