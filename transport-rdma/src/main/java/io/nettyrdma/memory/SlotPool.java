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
package io.nettyrdma.memory;

import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.buffer.TransportMemory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Slots of one size in registered memory, for receives and for frames that are assembled. They are cut out of slabs,
 * which are buffers of the allocator: the pool grows by a slab when no slot is free, as far as {@link TransportMemory}
 * allows, and returns a slab when two are unused. Slots are numbers, because a work request id has room for one.
 *
 * <pre>
 *   free --- take ---&gt; in use, or handed out as a {@link ReceivedByteBuf}
 *    ^                   |                                |
 *    |            give, on the loop                 give, elsewhere
 *    |                   |                                v
 *    +-------------------+&lt;---- a task of the loop ---- handed over
 * </pre>
 *
 * Belongs to one loop; any thread may call {@link #give} and release the buffers. Slots that are in use when the pool
 * is closed keep their slab; the last of them releases it.
 */
public final class SlotPool implements AutoCloseable {

    /** No slot. */
    public static final int NONE = NumberSet.NONE;
    /** Calls of {@link #takeIfAny} after a failure that do not try again, because failures cost much. */
    private static final int PATIENCE = 64;
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(SlotPool.class);
    private static final int CACHE_LINE = 64;
    private static final int FIRST_SLABS = 4;

    private final RdmaByteBufAllocator allocator;
    private final RegistrationIndex index;
    private final ThreadAwareExecutor loop;
    private final int slotSize;
    private final int headerRoom;
    private final int stride;
    private final int shift;
    private final Runnable acceptTask = this::acceptHandedOver;
    private final Runnable acceptIfClosed = this::acceptIfClosed;

    /** Has holes; replaced when it grows. A thread that has a slot's number got it after the slab was stored here. */
    private Slab[] slabs = new Slab[0];
    /** Slabs with a free slot. The lowest is used first, so that others become empty. */
    private final NumberSet free = new NumberSet();
    /** Indexes of {@link #slabs} without a slab. */
    private final NumberSet vacant = new NumberSet();
    /** The unused slab that is kept for the next {@link #take}. */
    private int spare = NONE;
    private int inUse;
    /** Slots of all slabs. */
    private int capacity;
    private int patience;

    /** Set by the loop. From then on every thread takes the lock, because the loop may have ended. */
    private volatile boolean closed;

    /** Top of the stack of slots that other threads gave. It is only taken as a whole, so there is no ABA problem. */
    private final AtomicInteger handedOver = new AtomicInteger(NONE);

    /**
     * @param index registrations of the allocator's memory with the device.
     * @param loop the loop that owns the pool, and runs the task that takes back what other threads give.
     * @param slotSize bytes of a slot.
     * @param headerRoom bytes of a slot in front of the payload: a {@link ReceivedByteBuf} begins behind them.
     * @param slotsPerSlab slots by which the pool grows, rounded up to a power of two.
     */
    public SlotPool(RdmaByteBufAllocator allocator, RegistrationIndex index, ThreadAwareExecutor loop, int slotSize,
                    int headerRoom, int slotsPerSlab) {
        if (slotSize <= 0 || slotsPerSlab <= 0) {
            throw new IllegalArgumentException("a pool of " + slotSize + " bytes times " + slotsPerSlab);
        }
        if (headerRoom < 0 || headerRoom >= slotSize) {
            throw new IllegalArgumentException(headerRoom + " bytes of header in a slot of " + slotSize);
        }
        this.allocator = allocator;
        this.index = index;
        this.loop = loop;
        this.slotSize = slotSize;
        this.headerRoom = headerRoom;
        stride = Math.multiplyExact((slotSize + CACHE_LINE - 1) / CACHE_LINE, CACHE_LINE);
        shift = Integer.SIZE - Integer.numberOfLeadingZeros(slotsPerSlab - 1);
        Math.multiplyExact(stride, 1 << shift);
    }

    /**
     * Takes a slot that a connection cannot do without. Its content is what the last user left there.
     *
     * @throws IOException if no slot is free, and the allocator has no more memory, or none but the application's, or
     *         the device does not register it; the message has the cure. The pool is unchanged then.
     */
    public int take() throws IOException {
        int number = lowestFree();
        return takeFrom(number == NONE ? grow(true) : number);
    }

    /**
     * Takes a slot that makes a connection faster, for long.
     *
     * @return {@link #NONE} if there is not plenty of memory, even if slots are free: those that come back soon need
     *         them. Try again later.
     */
    public int takeIfPlenty() {
        return TransportMemory.of(allocator).isPlenty() ? takeIfAny() : NONE;
    }

    /**
     * Takes a slot that makes a connection faster, for a moment.
     *
     * @return {@link #NONE} if no slot is free, and there is not plenty of memory, see {@link TransportMemory}. Try
     *         again later.
     */
    public int takeIfAny() {
        int number = lowestFree();
        if (number == NONE) {
            if (patience > 0) {
                patience--;
                return NONE;
            }
            try {
                number = grow(false);
            } catch (IOException e) {
                LOGGER.debug("{} does not grow", this, e);
                patience = PATIENCE;
            }
        }
        return number == NONE ? NONE : takeFrom(number);
    }

    private int lowestFree() {
        int number = free.lowest();
        if (number == NONE) {
            acceptHandedOver();
            number = free.lowest();
        }
        return number;
    }

    /**
     * Gives a slot back. Any thread. If a {@link ReceivedByteBuf} over it has a listener, the listener gets the slot,
     * and not the pool.
     *
     * @throws IllegalStateException if the slot is free already; detected only on the loop's thread.
     */
    public void give(int slot) {
        if (loop.isExecutorThread(Thread.currentThread())) {
            giveOnLoop(slot);
        } else {
            handOver(slot);
        }
    }

    /**
     * Replaces slots whose content is not needed by slots of lower slabs, and gives the others back, if many slots are
     * free. Otherwise slots that are used for long would keep many slabs with few slots each. Event loop only.
     *
     * @param count the first ones of the array.
     */
    public void compact(int[] slots, int count) {
        if (8 * inUse >= 7 * capacity) {
            return;
        }
        for (int i = 0; i < count; i++) {
            slots[i] = lower(slots[i]);
        }
    }

    private int lower(int slot) {
        int number = free.lowest();
        if (number == NONE || number >= slot >>> shift) {
            return slot;
        }
        int lower = takeFrom(number);
        giveOnLoop(slot);
        return lower;
    }

    /** Gives the slot back with its buffer, which the pool had forgotten. Any thread. */
    void give(ReceivedByteBuf buffer, int slot) {
        slabs[slot >>> shift].buffers[index(slot)] = buffer;
        give(slot);
    }

    void forget(int slot) {
        slabs[slot >>> shift].buffers[index(slot)] = null;
    }

    /** Bytes of a slot. */
    public int slotSize() {
        return slotSize;
    }

    /** Bytes of a slot in front of the payload. */
    public int headerRoom() {
        return headerRoom;
    }

    /**
     * The memory that contains the slot, from {@link #offset} on. All slots of a slab share this object: its position
     * and limit have no meaning and may be changed.
     */
    public ByteBuffer buffer(int slot) {
        return slabs[slot >>> shift].bytes;
    }

    /** Where the slot begins in its {@link #buffer}. */
    public int offset(int slot) {
        return index(slot) * stride;
    }

    public long address(int slot) {
        return slabs[slot >>> shift].address + offset(slot);
    }

    public int localKey(int slot) {
        return slabs[slot >>> shift].localKey;
    }

    /** Returns the buffer over a slot's payload, the same one each time. */
    public ReceivedByteBuf received(int slot) {
        ReceivedByteBuf[] buffers = slabs[slot >>> shift].buffers;
        ReceivedByteBuf buffer = buffers[index(slot)];
        if (buffer == null) {
            buffer = newBuffer(slot);
            buffers[index(slot)] = buffer;
        }
        return buffer;
    }

    /** A buffer over a slot's payload. Any thread that owns the slot. */
    ReceivedByteBuf newBuffer(int slot) {
        return new ReceivedByteBuf(this, slot,
                buffer(slot).slice(offset(slot) + headerRoom, slotSize - headerRoom), address(slot) + headerRoom);
    }

    RdmaByteBufAllocator allocator() {
        return allocator;
    }

    /** Bytes of all slabs. */
    public long bytes() {
        return (long) capacity * stride;
    }

    /** Slots that were taken and have not come back to the loop yet. */
    public int inUse() {
        return inUse;
    }

    /** To check for the loop's thread, or to run a task there. */
    public ThreadAwareExecutor loop() {
        return loop;
    }

    /**
     * Releases the slabs; a slab with slots in use is released with the last of them. Close everything that could write
     * there before: queue pairs whose receives are posted. Closing twice does nothing.
     */
    @Override
    public void close() {
        closed = true;
        acceptHandedOver();
        synchronized (this) {
            for (int i = 0; i < slabs.length; i++) {
                if (slabs[i] != null && slabs[i].isUnused()) {
                    drop(i);
                }
            }
        }
    }

    @Override
    public String toString() {
        return "pool of " + inUse + " slots in use, of " + slotSize + " bytes each, in " + bytes() + " bytes for "
                + index.domain();
    }

    private int index(int slot) {
        return slot & (1 << shift) - 1;
    }

    private int takeFrom(int number) {
        if (number == spare) {
            spare = NONE;
        }
        inUse++;
        Slab slab = slabs[number];
        int slot = number << shift | slab.take();
        if (!slab.hasFree()) {
            free.remove(number);
        }
        return slot;
    }

    /** @param needed whether the memory is needed; otherwise NONE is returned if there is not plenty. */
    private int grow(boolean needed) throws IOException {
        if (closed) {
            throw new IllegalStateException("the " + this + " is closed");
        }
        Slab slab = newSlab(needed);
        if (slab == null) {
            return NONE;
        }
        if (vacant.lowest() == NONE) {
            widen();
        }
        int number = vacant.lowest();
        vacant.remove(number);
        slabs[number] = slab;
        free.add(number);
        capacity += 1 << shift;
        return number;
    }

    /** A thread that reads the old array meanwhile finds the slabs of its slots there. */
    private void widen() {
        int length = slabs.length;
        Slab[] wider = Arrays.copyOf(slabs, Math.max(FIRST_SLABS, 2 * length));
        for (int number = length; number < wider.length; number++) {
            vacant.add(number);
        }
        slabs = wider;
    }

    /** Exhausted memory ends a connection, or makes it wait, like any other failure: the loop has other connections. */
    private Slab newSlab(boolean needed) throws IOException {
        TransportMemory taken = TransportMemory.of(allocator);
        long bytes = (long) stride << shift;
        try {
            if (needed) {
                taken.takeRequired(bytes);
            } else if (!taken.takeIfPlenty(bytes)) {
                return null;
            }
            boolean isMade = false;
            try {
                Slab slab = new Slab(allocator, index, 1 << shift, stride);
                isMade = true;
                return slab;
            } finally {
                if (!isMade) {
                    taken.give(bytes);
                }
            }
        } catch (OutOfRegisteredMemoryError e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void giveOnLoop(int slot) {
        if (closed) {
            synchronized (this) {
                accept(slot, true);
            }
        } else {
            accept(slot, true);
        }
    }

    /**
     * A loop that has ended rejects tasks, and is about to close the pool or has closed it. Either it finds the slot on
     * the stack then, or this thread sees that the pool is closed.
     */
    private void handOver(int slot) {
        int[] below = slabs[slot >>> shift].below;
        int top;
        do {
            top = handedOver.get();
            below[index(slot)] = top;
        } while (!handedOver.compareAndSet(top, slot));
        // A listener may wait for the slot, and the loop may sleep. The task takes later slots along.
        if (top == NONE) {
            LoopTasks.execute(loop, acceptTask, acceptIfClosed);
        }
    }

    private void acceptIfClosed() {
        if (closed) {
            acceptHandedOver();
        }
    }

    private void acceptHandedOver() {
        if (closed) {
            synchronized (this) {
                acceptAll(loop.isExecutorThread(Thread.currentThread()));
            }
        } else {
            acceptAll(true);
        }
    }

    private void acceptAll(boolean notifies) {
        int slot = handedOver.getAndSet(NONE);
        while (slot != NONE) {
            // Read before the slot is accepted: afterwards it may be given again, which writes its link.
            int next = slabs[slot >>> shift].below[index(slot)];
            accept(slot, notifies);
            slot = next;
        }
    }

    /** @param notifies whether to call listeners: they belong to the loop, and end with it. */
    private void accept(int slot, boolean notifies) {
        int number = slot >>> shift;
        Slab slab = slabs[number];
        ReceivedByteBuf buffer = slab == null ? null : slab.buffers[index(slot)];
        SlotListener listener = buffer == null ? null : buffer.takeListener();
        if (listener != null && notifies) {
            listener.released(slot);
            return;
        }
        if (slab == null || !slab.give(index(slot))) {
            throw new IllegalStateException("slot " + slot + " was given back before to the " + this);
        }
        inUse--;
        free.add(number);
        if (slab.isUnused()) {
            unused(number);
        }
    }

    private void unused(int number) {
        if (closed) {
            drop(number);
        } else if (spare == NONE) {
            spare = number;
        } else {
            // The lower number is used first, so the higher one goes.
            drop(Math.max(spare, number));
            spare = Math.min(spare, number);
        }
    }

    private void drop(int number) {
        slabs[number].release();
        TransportMemory.of(allocator).give((long) stride << shift);
        slabs[number] = null;
        free.remove(number);
        vacant.add(number);
        capacity -= 1 << shift;
    }
}
