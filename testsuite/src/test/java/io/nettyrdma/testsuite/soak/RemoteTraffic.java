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
package io.nettyrdma.testsuite.soak;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one end does with the memory of the other: writes, which the other end compares, reads of what it has written,
 * and additions. Records between the messages of the stream say what happened. Loop's thread.
 *
 * <pre>
 *   this end                                        the other end
 *                                    &lt;------------ MEMORY: 4 slots and a counter
 *   a write into a free slot         -------------&gt; the slot
 *   WRITTEN, or with an immediate    -------------&gt; compares the slot
 *                                    &lt;------------ FREE
 *   sometimes a read of the slot, compared
 * </pre>
 */
final class RemoteTraffic {

    private static final int SLOTS = 4;
    private static final int SLOT_BITS = 2;
    private static final int SLOT_BYTES = 64 << 10;
    /** Index in the memory. */
    private static final int COUNTER = SLOTS * SLOT_BYTES;
    private static final int MEMORY_BYTES = COUNTER + RdmaAtomic.SIZE;

    /** A record in the stream, in place of a message: its kind where a message has its length, and its content. */
    enum Record {
        /** A {@link RemoteMemory}. */
        MEMORY(-1, RemoteMemory.SIZE),
        /** The slot, and above it the length. */
        WRITTEN(-2, Integer.BYTES),
        /** The slot. */
        FREE(-3, Integer.BYTES);

        final int kind;
        final int bytes;

        Record(int kind, int bytes) {
            this.kind = kind;
            this.bytes = bytes;
        }

        static Record of(int kind) throws IOException {
            for (Record record : values()) {
                if (record.kind == kind) {
                    return record;
                }
            }
            throw new IOException("a message or record came with the length " + kind);
        }
    }

    private final End end;
    private final RdmaChannel channel;
    private final Outgoing outgoing;
    private final SplittableRandom random;
    private final Totals totals;
    private final DeviceCapabilities device;
    private final boolean reads;
    private final SeededBytes own;
    private final SeededBytes expected;
    private final ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(MEMORY_BYTES, MEMORY_BYTES);

    private RemoteMemory remote;
    private final List<Integer> free = new ArrayList<>();
    private final long[] positions = new long[SLOTS];
    private final int[] lengths = new int[SLOTS];
    private long added;

    /** @param own what this end writes; {@code expected} is what the other does. */
    RemoteTraffic(End end, RdmaChannel channel, Outgoing outgoing, SeededBytes own, SeededBytes expected,
                  SplittableRandom random, Totals totals) {
        this.end = end;
        this.channel = channel;
        this.outgoing = outgoing;
        this.own = own;
        this.expected = expected;
        this.random = random;
        this.totals = totals;
        RdmaDevice opened = TestDevice.get().device();
        device = TestDevice.get().capabilities();
        reads = opened.info().transport() != RdmaDeviceInfo.Transport.IWARP;
        channel.closeFuture().addListener(closed -> memory.release());
    }

    /** Sends the other end the memory of this end. */
    void begin() {
        memory.setLong(COUNTER, 0);
        List<MemoryAccess> access = new ArrayList<>(List.of(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ));
        if (device.atomics()) {
            access.add(MemoryAccess.REMOTE_ATOMIC);
        }
        channel.expose(memory, access.toArray(MemoryAccess[]::new)).addListener(exposing -> {
            if (!exposing.isSuccess()) {
                end.writeFailed(exposing.cause());
            } else if (!outgoing.isFinished()) {
                ByteBuf record = record(Record.MEMORY);
                ((ExposedMemory) exposing.getNow()).remote().encode(record);
                outgoing.write(record);
                channel.flush();
            }
        });
    }

    private ByteBuf record(Record record) {
        return channel.alloc().buffer(Plan.LENGTH_BYTES + record.bytes).writeInt(record.kind);
    }

    /** @return whether there is something to write to. */
    boolean writeOperation() {
        if (remote == null) {
            return false;
        }
        if (device.atomics() && random.nextInt(SLOTS) == 0) {
            add();
        } else if (free.isEmpty()) {
            return false;
        } else {
            write(free.remove(random.nextInt(free.size())));
        }
        return true;
    }

    private void write(int slot) {
        int length = 1 + random.nextInt(random.nextBoolean() ? SLOT_BYTES : Long.SIZE);
        positions[slot] = own.position();
        lengths[slot] = length;
        ByteBuf data = channel.alloc().buffer(length);
        own.writeTo(data, length);
        RdmaWrite write = new RdmaWrite(data, remote.slice((long) slot * SLOT_BYTES, length));
        int slotAndLength = slot | length << SLOT_BITS;
        if (device.immediate() && random.nextBoolean()) {
            outgoing.write(write.withImmediate(slotAndLength));
        } else {
            outgoing.write(write);
            outgoing.write(record(Record.WRITTEN).writeInt(slotAndLength));
        }
        totals.operations.increment();
    }

    private void add() {
        ByteBuf result = RdmaByteBufAllocator.DEFAULT.directBuffer(RdmaAtomic.SIZE);
        RdmaAtomic add = RdmaAtomic.fetchAndAdd(remote.slice(COUNTER, RdmaAtomic.SIZE), 1, result);
        long previous = added++;
        outgoing.write(add).addListener(done -> {
            if (done.isSuccess() && add.previous() != previous) {
                end.differs("the counter was " + add.previous() + " and not " + previous);
            }
        });
        totals.operations.increment();
    }

    /** A record has arrived. */
    void take(Record record, ByteBuf content) throws IOException {
        switch (record) {
        case MEMORY -> {
            remote = RemoteMemory.decode(content);
            for (int slot = 0; slot < SLOTS; slot++) {
                free.add(slot);
            }
        }
        case WRITTEN -> written(content.readInt());
        default -> freed(content.readInt());
        }
    }

    /** The other end has written, and said so by a record or by an immediate. */
    void written(int slotAndLength) throws IOException {
        int slot = slotAndLength & SLOTS - 1;
        int length = slotAndLength >>> SLOT_BITS;
        long difference = expected.firstDifference(memory.slice(slot * SLOT_BYTES, length), length);
        if (difference >= 0) {
            throw new IOException("byte " + difference + " of the sequence of writes differs in slot " + slot
                    + ", which has " + length + " bytes up to " + expected.position());
        }
        totals.bytes.add(length);
        // Behind its end it says nothing more.
        if (!outgoing.isFinished()) {
            outgoing.write(record(Record.FREE).writeInt(slot));
        }
    }

    private void freed(int slot) {
        if (!reads || random.nextBoolean() || outgoing.isFinished()) {
            free.add(slot);
            return;
        }
        int length = lengths[slot];
        ByteBuf into = RdmaByteBufAllocator.DEFAULT.directBuffer(length);
        SeededBytes written = new SeededBytes(own.seed(), positions[slot]);
        RdmaRead read = new RdmaRead(remote.slice((long) slot * SLOT_BYTES, length), into.retain());
        outgoing.write(read).addListener(done -> {
            if (done.isSuccess() && written.firstDifference(into, length) >= 0) {
                end.differs("slot " + slot + " was read with other bytes than were written");
            }
            into.release();
            free.add(slot);
        });
        totals.operations.increment();
    }

    @Override
    public String toString() {
        return (remote == null ? "no memory of the peer" : free.size() + " slots free") + ", " + added + " added";
    }
}
