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
package io.nettyrdma.buffer;

import io.netty.util.internal.PlatformDependent;

/**
 * Reads and writes single values by address, as Netty's own buffers do where Unsafe is available. A {@link
 * java.nio.ByteBuffer} would check each index a second time and take up to twice as long; see docs/decisions/0008.
 */
final class UnsafeRdmaByteBuf extends RdmaByteBuf {

    /** Requires unaligned access, because values can be at any address; the code below swaps bytes. */
    static final boolean IS_USABLE = PlatformDependent.hasUnsafe() && PlatformDependent.isUnaligned()
            && !PlatformDependent.BIG_ENDIAN_NATIVE_ORDER;

    UnsafeRdmaByteBuf(RdmaByteBufAllocator allocator, Run run, int offset) {
        super(allocator, run, offset);
    }

    @Override
    protected byte _getByte(int index) {
        return PlatformDependent.getByte(address + index);
    }

    @Override
    protected short _getShort(int index) {
        return Short.reverseBytes(_getShortLE(index));
    }

    @Override
    protected short _getShortLE(int index) {
        return PlatformDependent.getShort(address + index);
    }

    @Override
    protected int _getInt(int index) {
        return Integer.reverseBytes(_getIntLE(index));
    }

    @Override
    protected int _getIntLE(int index) {
        return PlatformDependent.getInt(address + index);
    }

    @Override
    protected long _getLong(int index) {
        return Long.reverseBytes(_getLongLE(index));
    }

    @Override
    protected long _getLongLE(int index) {
        return PlatformDependent.getLong(address + index);
    }

    @Override
    protected void _setByte(int index, int value) {
        PlatformDependent.putByte(address + index, (byte) value);
    }

    @Override
    protected void _setShort(int index, int value) {
        _setShortLE(index, Short.reverseBytes((short) value));
    }

    @Override
    protected void _setShortLE(int index, int value) {
        PlatformDependent.putShort(address + index, (short) value);
    }

    @Override
    protected void _setInt(int index, int value) {
        _setIntLE(index, Integer.reverseBytes(value));
    }

    @Override
    protected void _setIntLE(int index, int value) {
        PlatformDependent.putInt(address + index, value);
    }

    @Override
    protected void _setLong(int index, long value) {
        _setLongLE(index, Long.reverseBytes(value));
    }

    @Override
    protected void _setLongLE(int index, long value) {
        PlatformDependent.putLong(address + index, value);
    }
}
