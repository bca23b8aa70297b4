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
package io.nettyrdma.jni;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A block of zeroed memory outside the Java heap, in native byte order, for the records of {@link AbiLayout}. The
 * memory is valid as long as this object is reachable: a caller that passes {@link #address()} to a native method must
 * keep a reference until the method returns ({@link java.lang.ref.Reference#reachabilityFence}). Not thread-safe.
 */
public final class NativeMemory {

    private static final int BLOCK_BYTES = 8192;
    /** Larger memory is a direct buffer of its own. */
    private static final int LARGEST_IN_BLOCK = BLOCK_BYTES / 8;
    private static final int ALIGNMENT = 16;

    /**
     * Where the next small records of this thread are cut from. A connection needs ten of them, and a direct buffer of
     * its own would cost the garbage collector two objects for each. A slice keeps its block, and no byte is used
     * twice.
     */
    private static final ThreadLocal<ByteBuffer> BLOCKS = new ThreadLocal<>();

    private final ByteBuffer buffer;
    private final long address;

    public NativeMemory(int size) {
        NativeLibrary.ensureShim();
        buffer = (size > LARGEST_IN_BLOCK ? ByteBuffer.allocateDirect(size) : cut(size)).order(ByteOrder.nativeOrder());
        address = LibraryNative.address(buffer);
    }

    private static ByteBuffer cut(int size) {
        int used = size + ALIGNMENT - 1 & -ALIGNMENT;
        ByteBuffer block = BLOCKS.get();
        if (block == null || block.remaining() < used) {
            block = ByteBuffer.allocateDirect(BLOCK_BYTES);
            BLOCKS.set(block);
        }
        int start = block.position();
        block.position(start + used);
        return block.slice(start, size);
    }

    /** Address of the first byte of a direct buffer, independent of its position. */
    public static long address(ByteBuffer direct) {
        if (!direct.isDirect()) {
            throw new IllegalArgumentException("a device can only access direct buffers, this is " + direct);
        }
        NativeLibrary.ensureShim();
        return LibraryNative.address(direct);
    }

    public long address() {
        return address;
    }

    public int size() {
        return buffer.capacity();
    }

    public int u8(int offset) {
        return buffer.get(offset) & 0xff;
    }

    public int u16(int offset) {
        return buffer.getShort(offset) & 0xffff;
    }

    /** 32 bits; values of 2^31 and above are returned as negative numbers. */
    public int u32(int offset) {
        return buffer.getInt(offset);
    }

    public long u64(int offset) {
        return buffer.getLong(offset);
    }

    public byte[] bytes(int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.get(offset, bytes);
        return bytes;
    }

    /** A string of at most {@code length} bytes that ends before its first zero byte. */
    public String string(int offset, int length) {
        int end = 0;
        while (end < length && buffer.get(offset + end) != 0) {
            end++;
        }
        return new String(bytes(offset, end), StandardCharsets.US_ASCII);
    }

    public NativeMemory putU8(int offset, int value) {
        buffer.put(offset, (byte) value);
        return this;
    }

    public NativeMemory putU16(int offset, int value) {
        buffer.putShort(offset, (short) value);
        return this;
    }

    public NativeMemory putU32(int offset, int value) {
        buffer.putInt(offset, value);
        return this;
    }

    public NativeMemory putU64(int offset, long value) {
        buffer.putLong(offset, value);
        return this;
    }

    public NativeMemory putBytes(int offset, byte[] bytes) {
        buffer.put(offset, bytes);
        return this;
    }
}
