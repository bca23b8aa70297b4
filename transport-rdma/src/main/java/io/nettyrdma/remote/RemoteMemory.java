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
package io.nettyrdma.remote;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.MemoryAccess;

import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * Memory of the peer, which it has exposed: what a write or a read needs to know of it. The peer sends it as
 * {@value #SIZE} bytes, in network byte order:
 *
 * <pre>
 *    0            8           16      20       21      24
 *   | address 8  | length 8  | key 4 | access | 0  0  0 |
 *                                      bits: 1 write, 2 read, 4 atomics
 * </pre>
 *
 * The key opens the memory to every peer that knows it on a queue pair of the same protection domain: see
 * <a href="https://nettyrdma.io/docs/remote-access.html">remote access</a>. Immutable.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RemoteMemory {

    /** Bytes of the encoded form. */
    public static final int SIZE = 24;

    private static final int RESERVED = 3;
    private static final MemoryAccess[] BITS =
            { MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ, MemoryAccess.REMOTE_ATOMIC };

    private final long address;
    private final long length;
    private final int key;
    private final Set<MemoryAccess> access;

    /**
     * @param address in the peer's address space.
     * @param length bytes.
     * @param key the rkey of the region that contains the memory.
     * @param access what the region allows: REMOTE_WRITE, REMOTE_READ and REMOTE_ATOMIC.
     */
    public RemoteMemory(long address, long length, int key, Set<MemoryAccess> access) {
        if (length < 0) {
            throw new IllegalArgumentException("length is " + length);
        }
        this.address = address;
        this.length = length;
        this.key = key;
        EnumSet<MemoryAccess> copy = EnumSet.noneOf(MemoryAccess.class);
        copy.addAll(access);
        for (MemoryAccess each : copy) {
            bit(each);
        }
        this.access = copy;
    }

    /** {@return the address in the peer's address space} */
    public long address() {
        return address;
    }

    /** {@return the bytes} */
    public long length() {
        return length;
    }

    /** {@return the rkey} */
    public int key() {
        return key;
    }

    /**
     * {@return whether the region allows this access, as the peer says}
     *
     * @param wanted one right.
     */
    public boolean allows(MemoryAccess wanted) {
        return access.contains(wanted);
    }

    /**
     * {@return a part of this memory}
     *
     * @param offset of the part.
     * @param bytes its length.
     * @throws IndexOutOfBoundsException if it is not within this memory.
     */
    public RemoteMemory slice(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, length);
        return new RemoteMemory(address + offset, bytes, key, access);
    }

    /**
     * Writes the encoded form.
     *
     * @param to gets {@link #SIZE} bytes at its writer index.
     */
    public void encode(ByteBuf to) {
        int bits = 0;
        for (MemoryAccess each : access) {
            bits |= bit(each);
        }
        to.writeLong(address).writeLong(length).writeInt(key).writeByte(bits).writeZero(RESERVED);
    }

    /**
     * Reads the encoded form. A peer may send anything: this checks the form, and the peer's device checks
     * each access.
     *
     * @param from has the bytes at its reader index, which moves.
     * @return the memory.
     * @throws IllegalArgumentException if it is not the encoded form of any memory.
     * @throws IndexOutOfBoundsException if there are fewer than {@value #SIZE} readable bytes.
     */
    public static RemoteMemory decode(ByteBuf from) {
        long address = from.readLong();
        long length = from.readLong();
        int key = from.readInt();
        int bits = from.readUnsignedByte();
        int reserved = from.readUnsignedMedium();
        if (bits >= 1 << BITS.length || reserved != 0) {
            throw new IllegalArgumentException("no remote memory: access " + bits + ", reserved " + reserved);
        }
        EnumSet<MemoryAccess> access = EnumSet.noneOf(MemoryAccess.class);
        for (MemoryAccess each : BITS) {
            if ((bits & bit(each)) != 0) {
                access.add(each);
            }
        }
        return new RemoteMemory(address, length, key, access);
    }

    private static int bit(MemoryAccess each) {
        for (int i = 0; i < BITS.length; i++) {
            if (BITS[i] == each) {
                return 1 << i;
            }
        }
        throw new IllegalArgumentException(each + " is no access of a peer");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RemoteMemory that && address == that.address && length == that.length
                && key == that.key && access.equals(that.access);
    }

    @Override
    public int hashCode() {
        return Objects.hash(address, length, key, access);
    }

    /** Without the key: logs are read by others. */
    @Override
    public String toString() {
        return length + " bytes of the peer at 0x" + Long.toHexString(address) + ' ' + access;
    }
}
