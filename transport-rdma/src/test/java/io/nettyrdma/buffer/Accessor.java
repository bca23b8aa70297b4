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

import io.netty.buffer.ByteBuf;

import java.nio.ByteOrder;

import static io.nettyrdma.buffer.Accessor.Kind.*;

/** The numbers that a buffer reads and writes, all as {@code long}, and their representation in a byte array. */
enum Accessor {

    BOOLEAN(1, TRUTH, (b, i) -> b.getBoolean(i) ? 1 : 0, (b, i, v) -> b.setBoolean(i, v != 0),
            b -> b.readBoolean() ? 1 : 0, (b, v) -> b.writeBoolean(v != 0)),
    BYTE(1, SIGNED, ByteBuf::getByte, (b, i, v) -> b.setByte(i, (int) v),
            ByteBuf::readByte, (b, v) -> b.writeByte((int) v)),
    UNSIGNED_BYTE(1, UNSIGNED, ByteBuf::getUnsignedByte, (b, i, v) -> b.setByte(i, (int) v),
            ByteBuf::readUnsignedByte, (b, v) -> b.writeByte((int) v)),
    CHAR(2, UNSIGNED, ByteBuf::getChar, (b, i, v) -> b.setChar(i, (int) v),
            ByteBuf::readChar, (b, v) -> b.writeChar((int) v)),

    SHORT(2, SIGNED, ByteBuf::getShort, (b, i, v) -> b.setShort(i, (int) v),
            ByteBuf::readShort, (b, v) -> b.writeShort((int) v)),
    SHORT_LE(2, SIGNED_LE, ByteBuf::getShortLE, (b, i, v) -> b.setShortLE(i, (int) v),
            ByteBuf::readShortLE, (b, v) -> b.writeShortLE((int) v)),
    UNSIGNED_SHORT(2, UNSIGNED, ByteBuf::getUnsignedShort, (b, i, v) -> b.setShort(i, (int) v),
            ByteBuf::readUnsignedShort, (b, v) -> b.writeShort((int) v)),
    UNSIGNED_SHORT_LE(2, UNSIGNED_LE, ByteBuf::getUnsignedShortLE, (b, i, v) -> b.setShortLE(i, (int) v),
            ByteBuf::readUnsignedShortLE, (b, v) -> b.writeShortLE((int) v)),

    MEDIUM(3, SIGNED, ByteBuf::getMedium, (b, i, v) -> b.setMedium(i, (int) v),
            ByteBuf::readMedium, (b, v) -> b.writeMedium((int) v)),
    MEDIUM_LE(3, SIGNED_LE, ByteBuf::getMediumLE, (b, i, v) -> b.setMediumLE(i, (int) v),
            ByteBuf::readMediumLE, (b, v) -> b.writeMediumLE((int) v)),
    UNSIGNED_MEDIUM(3, UNSIGNED, ByteBuf::getUnsignedMedium, (b, i, v) -> b.setMedium(i, (int) v),
            ByteBuf::readUnsignedMedium, (b, v) -> b.writeMedium((int) v)),
    UNSIGNED_MEDIUM_LE(3, UNSIGNED_LE, ByteBuf::getUnsignedMediumLE, (b, i, v) -> b.setMediumLE(i, (int) v),
            ByteBuf::readUnsignedMediumLE, (b, v) -> b.writeMediumLE((int) v)),

    INT(4, SIGNED, ByteBuf::getInt, (b, i, v) -> b.setInt(i, (int) v),
            ByteBuf::readInt, (b, v) -> b.writeInt((int) v)),
    INT_LE(4, SIGNED_LE, ByteBuf::getIntLE, (b, i, v) -> b.setIntLE(i, (int) v),
            ByteBuf::readIntLE, (b, v) -> b.writeIntLE((int) v)),
    UNSIGNED_INT(4, UNSIGNED, ByteBuf::getUnsignedInt, (b, i, v) -> b.setInt(i, (int) v),
            ByteBuf::readUnsignedInt, (b, v) -> b.writeInt((int) v)),
    UNSIGNED_INT_LE(4, UNSIGNED_LE, ByteBuf::getUnsignedIntLE, (b, i, v) -> b.setIntLE(i, (int) v),
            ByteBuf::readUnsignedIntLE, (b, v) -> b.writeIntLE((int) v)),

    LONG(8, SIGNED, ByteBuf::getLong, ByteBuf::setLong, ByteBuf::readLong, ByteBuf::writeLong),
    LONG_LE(8, SIGNED_LE, ByteBuf::getLongLE, ByteBuf::setLongLE, ByteBuf::readLongLE, ByteBuf::writeLongLE),

    FLOAT(4, SIGNED, (b, i) -> Float.floatToRawIntBits(b.getFloat(i)),
            (b, i, v) -> b.setFloat(i, Float.intBitsToFloat((int) v)),
            b -> Float.floatToRawIntBits(b.readFloat()), (b, v) -> b.writeFloat(Float.intBitsToFloat((int) v))),
    FLOAT_LE(4, SIGNED_LE, (b, i) -> Float.floatToRawIntBits(b.getFloatLE(i)),
            (b, i, v) -> b.setFloatLE(i, Float.intBitsToFloat((int) v)),
            b -> Float.floatToRawIntBits(b.readFloatLE()), (b, v) -> b.writeFloatLE(Float.intBitsToFloat((int) v))),
    DOUBLE(8, SIGNED, (b, i) -> Double.doubleToRawLongBits(b.getDouble(i)),
            (b, i, v) -> b.setDouble(i, Double.longBitsToDouble(v)),
            b -> Double.doubleToRawLongBits(b.readDouble()), (b, v) -> b.writeDouble(Double.longBitsToDouble(v))),
    DOUBLE_LE(8, SIGNED_LE, (b, i) -> Double.doubleToRawLongBits(b.getDoubleLE(i)),
            (b, i, v) -> b.setDoubleLE(i, Double.longBitsToDouble(v)),
            b -> Double.doubleToRawLongBits(b.readDoubleLE()),
            (b, v) -> b.writeDoubleLE(Double.longBitsToDouble(v)));

    enum Kind {
        TRUTH, SIGNED, UNSIGNED, SIGNED_LE, UNSIGNED_LE;

        boolean isLittleEndian() {
            return this == SIGNED_LE || this == UNSIGNED_LE;
        }

        boolean isSigned() {
            return this == SIGNED || this == SIGNED_LE;
        }
    }

    final int width;
    private final Kind kind;
    private final Get get;
    private final Set set;
    private final Read read;
    private final Write write;

    Accessor(int width, Kind kind, Get get, Set set, Read read, Write write) {
        this.width = width;
        this.kind = kind;
        this.get = get;
        this.set = set;
        this.read = read;
        this.write = write;
    }

    long get(ByteBuf buffer, int index) {
        return get.from(buffer, index);
    }

    /** Writes only the lowest bytes of the value; for {@link #BOOLEAN}, whether it is 0. */
    ByteBuf set(ByteBuf buffer, int index, long value) {
        return set.in(buffer, index, value);
    }

    long read(ByteBuf buffer) {
        return read.from(buffer);
    }

    ByteBuf write(ByteBuf buffer, long value) {
        return write.to(buffer, value);
    }

    /** The value that a buffer of this byte order must return. */
    long get(byte[] bytes, int index, ByteOrder order) {
        long bits = 0;
        for (int i = 0; i < width; i++) {
            bits = bits << 8 | bytes[isLittleEndian(order) ? index + width - 1 - i : index + i] & 0xff;
        }
        int unused = Long.SIZE - width * 8;
        if (kind == TRUTH) {
            return bits == 0 ? 0 : 1;
        }
        return kind.isSigned() ? bits << unused >> unused : bits;
    }

    /** Writes what a buffer of this byte order must write. */
    void set(byte[] bytes, int index, long value, ByteOrder order) {
        long bits = kind != TRUTH ? value : value == 0 ? 0 : 1;
        for (int i = 0; i < width; i++) {
            bytes[isLittleEndian(order) ? index + i : index + width - 1 - i] = (byte) (bits >>> 8 * i);
        }
    }

    /** A buffer's order applies to the accessors that do not name theirs. */
    private boolean isLittleEndian(ByteOrder order) {
        return kind.isLittleEndian() || order == ByteOrder.LITTLE_ENDIAN;
    }

    private interface Get {
        long from(ByteBuf buffer, int index);
    }

    private interface Set {
        ByteBuf in(ByteBuf buffer, int index, long value);
    }

    private interface Read {
        long from(ByteBuf buffer);
    }

    private interface Write {
        ByteBuf to(ByteBuf buffer, long value);
    }
}
