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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Function;

/**
 * Datagrams, writes and reads that are posted, or in the batch. Each is signaled and completes by itself, in whatever
 * order, so that the work request id has its entry in a table, and free entries are a stack. Belongs to the event loop.
 *
 * <pre>
 *   entry:      0      1      2      3
 *   datagram  [ d7 ] [    ] [ d4 ] [ d9 ]       free: [ 1 ]
 *   slot      [ 17 ] [ -  ] [ -  ] [  5 ]       - : the device reads the datagram's own memory
 * </pre>
 */
final class DatagramSends implements SendTable {

    private static final int NONE = -1;

    private final QueuePair queuePair;
    private final int zeroCopyThreshold;
    private final PostBatches batches;
    private final SlotPool pool;
    private final RdmaByteBufAllocator allocator;
    private final RegisteredMemory registered;
    private final RdmaCounters counters;
    private final long workRequestIds;
    private final DatagramService.Failures failures;
    private final Listener listener;
    private final OutgoingDatagram[] datagrams;
    private final int[] slots;
    private final int[] free;
    private int freeCount;
    /** Memory for the next request: {@link #locate} sets these. */
    private long address;
    private long key;
    /** {@code null} between posts. */
    private SendBatch batch;
    private final int[] inBatch;

    /**
     * @param zeroCopyThreshold bytes from which gathering costs less than a copy.
     * @param allocator of copies that are too long for a slot.
     * @param registered its memory, and other memory that the device can read.
     */
    DatagramSends(QueuePair queuePair, int depth, int zeroCopyThreshold, PostBatches batches, SlotPool pool,
                  RdmaByteBufAllocator allocator, RegisteredMemory registered, RdmaCounters counters,
                  long workRequestIds, DatagramService.Failures failures, Listener listener) {
        this.queuePair = queuePair;
        this.zeroCopyThreshold = zeroCopyThreshold;
        this.batches = batches;
        this.pool = pool;
        this.allocator = allocator;
        this.registered = registered;
        this.counters = counters;
        this.workRequestIds = workRequestIds;
        this.failures = failures;
        this.listener = listener;
        datagrams = new OutgoingDatagram[depth];
        slots = new int[depth];
        Arrays.fill(slots, NONE);
        free = new int[depth];
        for (int i = 0; i < depth; i++) {
            free[i] = depth - 1 - i;
        }
        freeCount = depth;
        inBatch = new int[batches.capacity()];
    }

    @Override
    public int free() {
        return freeCount;
    }

    @Override
    public int inFlight() {
        return datagrams.length - freeCount;
    }

    @Override
    public void add(OutgoingDatagram datagram, int queueKey) throws IOException {
        ByteBuf content = datagram.content();
        if (datagram.length() > content.capacity() - datagram.index()) {
            throw new IndexOutOfBoundsException(datagram + ": its content was cut after it was written: " + content);
        }
        int slot = locate(datagram);
        int entry = free[--freeCount];
        datagrams[entry] = datagram;
        slots[entry] = slot;
        if (batch == null) {
            batch = batches.takeSends();
        }
        inBatch[batch.size()] = entry;
        begin(datagram, entry);
        batch.to(datagram.to().peer().handle(), datagram.recipient().queuePairNumber(), queueKey);
        int length = datagram.length();
        boolean isInline = datagram.operation() == null && (slot != NONE || length == 0)
                && length <= queuePair.granted().maxInline();
        if (length > 0) {
            batch.sge(address, length, (int) key);
            if (isInline) {
                batch.inline();
            }
        }
        batch.signaled();
        count(datagram, slot, isInline);
    }

    private void count(OutgoingDatagram datagram, int slot, boolean isInline) {
        int bytes = datagram.length();
        if (datagram.operation() instanceof RdmaRead) {
            counters.increment(RdmaCounter.REMOTE_READS);
            counters.add(RdmaCounter.REMOTE_BYTES_READ, bytes);
        } else if (datagram.operation() != null) {
            counters.increment(RdmaCounter.REMOTE_WRITES);
            counters.add(RdmaCounter.REMOTE_BYTES_WRITTEN, bytes);
        } else if (isInline) {
            counters.increment(RdmaCounter.MESSAGES_INLINE);
            counters.add(RdmaCounter.BYTES_INLINE, bytes);
        } else if (slot == NONE) {
            counters.increment(RdmaCounter.MESSAGES_GATHERED);
            counters.add(RdmaCounter.BYTES_GATHERED, bytes);
        } else {
            counters.increment(RdmaCounter.MESSAGES_STAGED);
            counters.add(RdmaCounter.BYTES_STAGED, bytes);
        }
    }

    /** Begins the work request. */
    private void begin(OutgoingDatagram datagram, int entry) {
        RemoteOperation operation = datagram.operation();
        if (operation == null) {
            batch.send(id(WorkRequestId.Kind.SEND, entry));
            return;
        }
        long to = operation.remote().address();
        int remoteKey = operation.remote().key();
        if (operation instanceof RdmaRead) {
            batch.read(id(WorkRequestId.Kind.READ, entry), to, remoteKey);
        } else if (((RdmaWrite) operation).hasImmediate()) {
            batch.writeWithImmediate(id(WorkRequestId.Kind.WRITE, entry), to, remoteKey,
                    ((RdmaWrite) operation).immediate());
        } else {
            batch.write(id(WorkRequestId.Kind.WRITE, entry), to, remoteKey);
        }
    }

    private long id(WorkRequestId.Kind kind, int entry) {
        return WorkRequestId.of(workRequestIds, kind, entry);
    }

    /**
     * Finds memory that the device can access: the content's own, or a copy of it. Sets {@link #address} and
     * {@link #key}.
     *
     * @return the slot with the copy, or NONE.
     */
    private int locate(OutgoingDatagram datagram) throws IOException {
        int length = datagram.length();
        if (length == 0) {
            return NONE;
        }
        boolean isSmall = length < zeroCopyThreshold && datagram.operation() == null;
        RegisteredByteBuf owner = isSmall ? null : owner(datagram.content(), datagram.index(), length);
        if (owner != null) {
            datagram.inPlace(owner);
            return NONE;
        }
        if (datagram.operation() instanceof RdmaRead) {
            throw new IllegalStateException(datagram + ": the device cannot write to its buffer any more");
        }
        if (length <= pool.slotSize()) {
            int slot = copy(datagram.content(), datagram.index(), length);
            address = pool.address(slot);
            key = pool.localKey(slot);
            return slot;
        }
        copy(datagram);
        return NONE;
    }

    /** The owner of memory that the device can access; {@code null} if it cannot. */
    private RegisteredByteBuf owner(ByteBuf content, int index, int length) {
        RegisteredByteBuf owner = RegisteredByteBuf.owner(content, index, length);
        if (owner == null) {
            return null;
        }
        address = content.memoryAddress() + index;
        key = registered.localKey(address, length);
        return key == RegisteredMemory.NOT_REGISTERED ? null : owner;
    }

    private int copy(ByteBuf content, int index, int length) throws IOException {
        int slot = pool.take(0);
        int at = pool.offset(slot);
        try {
            content.getBytes(index, pool.buffer(slot).clear().position(at).limit(at + length));
        } catch (RuntimeException e) {
            pool.give(slot);
            throw e;
        }
        return slot;
    }

    /** A write of memory that is not registered, and longer than a slot. */
    private void copy(OutgoingDatagram write) throws IOException {
        ByteBuf copy;
        try {
            copy = allocator.directBuffer(write.length());
        } catch (OutOfMemoryError e) {
            throw new IOException(e.getMessage(), e);
        }
        write.copied(copy);
        copy.writeBytes(write.content(), write.index(), write.length());
        if (owner(copy, 0, write.length()) == null) {
            throw new IOException(write + ": the device cannot read " + copy);
        }
    }

    @Override
    public boolean isBatchFull() {
        return batch != null && batch.size() == inBatch.length;
    }

    @Override
    public void post() throws VerbsException {
        if (batch == null) {
            return;
        }
        int count = batch.size();
        int posted = count;
        Exception failure = null;
        try {
            queuePair.post(batch);
        } catch (VerbsException | RuntimeException e) {
            posted = e instanceof PostException partly ? partly.posted() : 0;
            failure = e;
            throw e;
        } finally {
            batches.giveSends(batch);
            batch = null;
            if (posted < count) {
                endUnposted(Arrays.copyOfRange(inBatch, posted, count), failure);
            }
        }
    }

    /** All of them leave the table before the first promise is done: its listener may write, flush or close. */
    private void endUnposted(int[] entries, Exception cause) {
        OutgoingDatagram[] unposted = new OutgoingDatagram[entries.length];
        for (int i = 0; i < entries.length; i++) {
            unposted[i] = remove(entries[i]);
        }
        for (OutgoingDatagram each : unposted) {
            listener.ended(each, new DatagramException(each, DatagramFailure.NOT_POSTED, "it was not posted", cause));
        }
    }

    @Override
    public void completed(int entry, WorkCompletion completion) {
        OutgoingDatagram datagram = remove(entry);
        listener.ended(datagram, completion.isSuccess() ? null : new DatagramException(datagram,
                failures.of(completion.status(), completion.vendorError()), completion));
    }

    /** Its entry and its slot are free again. */
    private OutgoingDatagram remove(int entry) {
        OutgoingDatagram datagram = datagrams[entry];
        if (datagram == null) {
            throw new IllegalStateException("datagram " + entry + " completed and is not in flight");
        }
        datagrams[entry] = null;
        if (slots[entry] != NONE) {
            pool.give(slots[entry]);
            slots[entry] = NONE;
        }
        free[freeCount++] = entry;
        return datagram;
    }

    @Override
    public void abandon(Function<OutgoingDatagram, DatagramException> failure) {
        for (OutgoingDatagram each : datagrams) {
            if (each != null) {
                each.abandoned(failure.apply(each));
            }
        }
    }

    @Override
    public void release(Function<OutgoingDatagram, DatagramException> failure) {
        if (batch != null) {
            batches.giveSends(batch);
            batch = null;
        }
        for (int entry = 0; entry < datagrams.length; entry++) {
            if (datagrams[entry] != null) {
                OutgoingDatagram datagram = remove(entry);
                listener.ended(datagram, failure.apply(datagram));
            }
        }
    }
}
