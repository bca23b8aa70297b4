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
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.protocol.Immediate;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * Turns remote operations into work requests, one for each range of local memory, and for each longest message of the
 * device:
 *
 * <pre>
 *   a write of    [ a registered buffer, longer than a message ][ bytes that are not registered ]
 *   becomes       WRITE | WRITE                                  WRITE | WRITE with immediate
 *                                                                from staging slots
 * </pre>
 *
 * Only the last request has the immediate, and takes a credit of the peer. The first has the fence.
 */
final class RemoteOperations {

    private final SendQueue queue;
    private final SlotPool pool;
    private final StagingSlots staging;
    private final CreditWindow credits;
    private final CreditDebt debt;
    private final RegisteredMemory registered;
    private final OutboundMessages outbound;
    private final int maxMessage;
    private final RdmaCounters counters;
    /** The last request; -1 before there is one. */
    private int last = -1;

    /** The local memory of the next request: {@link #locate} sets these. */
    private long address;
    private int count;
    private long key;
    private RegisteredByteBuf owner;
    private ByteBuf part;
    private int partIndex;

    /**
     * @param staging slots of {@code pool} for bytes that are not registered.
     * @param maxMessage bytes of the device's longest message.
     * @param counters of the loop.
     */
    RemoteOperations(SendQueue queue, SlotPool pool, StagingSlots staging, CreditWindow credits, CreditDebt debt,
                     RegisteredMemory registered, OutboundMessages outbound, int maxMessage, RdmaCounters counters) {
        this.queue = queue;
        this.pool = pool;
        this.staging = staging;
        this.credits = credits;
        this.debt = debt;
        this.registered = registered;
        this.outbound = outbound;
        this.maxMessage = maxMessage;
        this.counters = counters;
    }

    /** The number of the last request. */
    int last() {
        return last;
    }

    /**
     * Sends the rest of the present message, as far as there is room.
     *
     * @return READY if it is sent to its end. The message is done when its last request has completed.
     */
    FramePath.Room send(RemoteOperation operation) {
        if (operation instanceof RdmaWrite write) {
            return write.length() == 0 ? writeNothing(write) : write(write);
        }
        return operation instanceof RdmaRead read ? read(read) : atomic((RdmaAtomic) operation);
    }

    /** Whether the device can write to this memory: the other operations need that. */
    boolean isRegistered(ByteBuf buffer, int index, int length) {
        return length == 0 || RegisteredByteBuf.owner(buffer, index, length) != null
                && registered.localKey(buffer.memoryAddress() + index, length) != RegisteredMemory.NOT_REGISTERED;
    }

    /** Without an immediate there is nothing to send. */
    private FramePath.Room writeNothing(RdmaWrite write) {
        if (!write.hasImmediate()) {
            outbound.ended();
            return FramePath.Room.READY;
        }
        FramePath.Room room = credits.maySendData() ? queue.room() : FramePath.Room.NEEDS_PEER;
        if (room == FramePath.Room.READY) {
            count = 0;
            request(write, 0, StagingSlots.NONE);
        }
        return room;
    }

    /** An application that cuts a buffer must not let the device access what is behind it. */
    private static void checkNotCut(RemoteOperation operation, ByteBuf buffer, int index) {
        if (operation.length() > buffer.capacity() - index) {
            throw new IndexOutOfBoundsException(operation + ": its buffer was cut after it was written: " + buffer);
        }
    }

    private FramePath.Room write(RdmaWrite write) {
        int length = write.length();
        checkNotCut(write, write.content(), write.index());
        for (int sent = (int) outbound.sentOf(); sent < length; sent += count) {
            locate(write.content(), write.index() + sent, length - sent);
            FramePath.Room room = queue.room();
            if (room != FramePath.Room.READY) {
                return room;
            }
            count = Math.min(count, maxMessage);
            int slot = StagingSlots.NONE;
            if (key == RegisteredMemory.NOT_REGISTERED) {
                slot = staging.take(count);
                if (slot == StagingSlots.NONE) {
                    return queue.roomWithoutSlot();
                }
                count = Math.min(count, pool.slotSize(slot));
            }
            if (sent + count == length && write.hasImmediate() && !credits.maySendData()) {
                giveBack(slot);
                return FramePath.Room.NEEDS_PEER;
            }
            if (slot != StagingSlots.NONE) {
                stage(slot);
                address = pool.address(slot);
                key = pool.localKey(slot);
            }
            request(write, sent, slot);
        }
        return FramePath.Room.READY;
    }

    private void giveBack(int slot) {
        if (slot != StagingSlots.NONE) {
            staging.give(slot);
        }
    }

    private void stage(int slot) {
        int at = pool.offset(slot);
        try {
            part.getBytes(partIndex, pool.buffer(slot).clear().position(at).limit(at + count));
        } catch (RuntimeException e) {
            staging.give(slot);
            throw e;
        }
    }

    private FramePath.Room read(RdmaRead read) {
        int length = read.length();
        checkNotCut(read, read.into(), read.index());
        if (length == 0) {
            outbound.ended();
        }
        for (int sent = (int) outbound.sentOf(); sent < length; sent += count) {
            FramePath.Room room = queue.room();
            if (room != FramePath.Room.READY) {
                return room;
            }
            locateWritable(read, read.into(), read.index() + sent, length - sent);
            count = Math.min(count, maxMessage);
            request(read, sent, StagingSlots.NONE);
        }
        return FramePath.Room.READY;
    }

    private FramePath.Room atomic(RdmaAtomic atomic) {
        FramePath.Room room = queue.room();
        if (room == FramePath.Room.READY) {
            locateWritable(atomic, atomic.result(), atomic.result().writerIndex(), RdmaAtomic.SIZE);
            request(atomic, 0, StagingSlots.NONE);
        }
        return room;
    }

    /** Adds the request for {@code count} bytes at {@code address}, which are those from {@code sent} on. */
    private void request(RemoteOperation operation, int sent, int slot) {
        boolean isLast = sent + count == operation.length();
        if (slot == StagingSlots.NONE && count > 0) {
            // And not the message: a composite may drop a component while it is referenced itself.
            queue.hold(owner, part);
        }
        if (isLast) {
            outbound.endedInFlight();
        } else {
            outbound.gathered(sent + count);
        }
        int number = queue.add(slot);
        begin(operation, sent, isLast, number);
        count(operation, isLast);
        if (count > 0) {
            queue.batch().sge(address, count, (int) key);
        }
        if (sent == 0 && operation.isFenced()) {
            queue.batch().fence();
        }
        queue.added(number, true);
        last = number;
    }

    private void begin(RemoteOperation operation, int sent, boolean isLast, int number) {
        SendBatch batch = queue.batch();
        RemoteMemory remote = operation.remote();
        long to = remote.address() + sent;
        if (operation instanceof RdmaWrite write) {
            long id = queue.id(WorkRequestId.Kind.WRITE, number);
            if (isLast && write.hasImmediate()) {
                batch.writeWithImmediate(id, to, remote.key(), Immediate.ofApplication(write.immediate()));
                credits.sent();
                debt.sentImmediate();
            } else {
                batch.write(id, to, remote.key());
            }
        } else if (operation instanceof RdmaRead) {
            batch.read(queue.id(WorkRequestId.Kind.READ, number), to, remote.key());
        } else {
            atomic(batch, queue.id(WorkRequestId.Kind.READ, number), (RdmaAtomic) operation);
        }
    }

    private void count(RemoteOperation operation, boolean isLast) {
        if (operation instanceof RdmaWrite) {
            counters.add(RdmaCounter.REMOTE_BYTES_WRITTEN, count);
            counters.add(RdmaCounter.REMOTE_WRITES, isLast ? 1 : 0);
        } else if (operation instanceof RdmaRead) {
            counters.add(RdmaCounter.REMOTE_BYTES_READ, count);
            counters.add(RdmaCounter.REMOTE_READS, isLast ? 1 : 0);
        } else {
            counters.increment(RdmaCounter.REMOTE_ATOMICS);
        }
    }

    private static void atomic(SendBatch batch, long id, RdmaAtomic atomic) {
        RemoteMemory remote = atomic.remote();
        if (atomic.kind() == RdmaAtomic.Kind.FETCH_AND_ADD) {
            batch.fetchAndAdd(id, remote.address(), remote.key(), atomic.operand());
        } else {
            batch.compareAndSwap(id, remote.address(), remote.key(), atomic.operand(), atomic.swap());
        }
    }

    /** As {@link #locate}, for memory that the device writes to. It was registered when the message was written. */
    private void locateWritable(RemoteOperation operation, ByteBuf buffer, int index, int length) {
        locate(buffer, index, length);
        if (key == RegisteredMemory.NOT_REGISTERED) {
            throw new IllegalStateException(operation + ": the device cannot write to " + part + " any more");
        }
    }

    /** Finds the first range of memory of {@code length} bytes of a buffer, and its key. */
    private void locate(ByteBuf buffer, int index, int length) {
        part = buffer;
        partIndex = index;
        count = length;
        if (buffer instanceof CompositeByteBuf composite) {
            int component = composite.toComponentIndex(index);
            part = composite.internalComponent(component);
            partIndex = index - composite.toByteIndex(component);
            count = Math.min(length, part.capacity() - partIndex);
        }
        key = RegisteredMemory.NOT_REGISTERED;
        owner = RegisteredByteBuf.owner(part, partIndex, count);
        if (owner != null) {
            address = part.memoryAddress() + partIndex;
            key = registered.localKey(address, count);
        }
    }
}
