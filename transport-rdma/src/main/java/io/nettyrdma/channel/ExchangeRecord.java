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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.remote.RemoteMemory;

import java.util.ArrayList;
import java.util.List;

/**
 * What each end of an exchange says about itself, big endian:
 *
 * <pre>
 *    0 magic 4 "NEFA" | 4 version 1 | 5 reserved 1 | 6 features 2
 *    8 address 24: GID 16, queue pair number 4, queue key 4
 *   32 longest datagram 4 | 36 memories 2 | 38 reserved 2
 *   40 memories, 24 each
 * </pre>
 *
 * Reserved bytes are 0. No features are defined yet: unknown ones are ignored.
 */
record ExchangeRecord(DatagramAddress address, int maxDatagram, List<RemoteMemory> memories) {

    /** Bytes in front of the memories. */
    static final int HEADER = 40;
    /** A bound for what a peer may send. */
    static final int MOST_MEMORIES = 256;
    /** Bytes of the longest record. */
    static final int MOST_BYTES = HEADER + MOST_MEMORIES * RemoteMemory.SIZE;

    private static final int MAGIC = 0x4e454641;
    private static final int VERSION = 1;
    private static final int VERSION_AT = 4;
    private static final int ADDRESS_AT = 8;
    private static final int MAX_DATAGRAM_AT = 32;
    private static final int COUNT_AT = 36;

    ExchangeRecord {
        if (memories.size() > MOST_MEMORIES) {
            throw new IllegalArgumentException(memories.size() + " memories are more than " + MOST_MEMORIES);
        }
        memories = List.copyOf(memories);
    }

    int length() {
        return HEADER + memories.size() * RemoteMemory.SIZE;
    }

    void encode(ByteBuf to) {
        to.writeInt(MAGIC).writeByte(VERSION).writeZero(1).writeShort(0);
        address.encode(to);
        to.writeInt(maxDatagram).writeShort(memories.size()).writeZero(2);
        memories.forEach(memory -> memory.encode(to));
    }

    /**
     * Reads a record from the beginning of a buffer, and nothing behind it.
     *
     * @return {@code null} if it is not complete.
     * @throws ExchangeRefusal if it is none.
     */
    static ExchangeRecord decode(ByteBuf from) throws ExchangeRefusal {
        int at = from.readerIndex();
        int available = from.readableBytes();
        if (available >= VERSION_AT && from.getInt(at) != MAGIC) {
            throw new ExchangeRefusal("this is an exchange of addresses, and not what begins with 0x"
                    + Integer.toHexString(from.getInt(at)));
        }
        if (available > VERSION_AT && from.getByte(at + VERSION_AT) != VERSION) {
            throw new ExchangeRefusal("version " + from.getUnsignedByte(at + VERSION_AT)
                    + " of the exchange of addresses came, and this side has " + VERSION);
        }
        if (available < HEADER) {
            return null;
        }
        int count = from.getUnsignedShort(at + COUNT_AT);
        int maxDatagram = from.getInt(at + MAX_DATAGRAM_AT);
        if (count > MOST_MEMORIES || maxDatagram <= 0) {
            throw new ExchangeRefusal(count + " memories and datagrams of " + maxDatagram + " bytes were named; allowed"
                    + " are " + MOST_MEMORIES + " memories, and a positive length");
        }
        return available < HEADER + count * RemoteMemory.SIZE ? null : decode(from, maxDatagram, count);
    }

    private static ExchangeRecord decode(ByteBuf from, int maxDatagram, int count) throws ExchangeRefusal {
        try {
            from.skipBytes(ADDRESS_AT);
            DatagramAddress address = DatagramAddress.decode(from);
            from.skipBytes(HEADER - MAX_DATAGRAM_AT);
            List<RemoteMemory> memories = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                memories.add(RemoteMemory.decode(from));
            }
            return new ExchangeRecord(address, maxDatagram, memories);
        } catch (IllegalArgumentException e) {
            throw new ExchangeRefusal("the record names what cannot be", e);
        }
    }
}
