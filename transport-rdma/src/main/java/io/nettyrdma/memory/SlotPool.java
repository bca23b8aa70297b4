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
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Slots of one size in memory that the device knows, for what is received and for frames that are put together. They
 * are cut out of slabs, which are buffers of the allocator: the pool grows by a slab when it is used up, and gives a
 * slab back when it has two that nobody uses. Slots are numbers: a work request's id has room for one.
 *
 * <pre>
 *   free --- take ---&gt; in use, or handed out as a {@link ReceivedByteBuf}
 *    ^                   |                                |
 *    |            give, on the loop                 give, elsewhere
 *    |                   |                                v
 *    +-------------------+&lt;---- a task of the loop ---- handed over
 * </pre>
 *
 * Belongs to one loop; {@link #give} and the buffers' release are for any thread. Slots that are out when the pool is
 * closed keep their slab; the last of them lets it go.
 */
public final class SlotPool implements AutoCloseable {

    private static final int NONE = NumberSet.NONE;
    private static final int CACHE_LINE = 64;
    private static final int FIRST_SLABS = 4;

    private final RdmaByteBufAllocator allocator;
    private final RegistrationIndex index;
    private final ThreadAwareExecutor loop;
    private final int slotSize;
    private final int stride;
    private final int shift;
    private final Runnable acceptTask = this::acceptHandedOver;

    /** With holes. Replaced when it grows. Who has a slot's number got it after the slab was in here. */
    private Slab[] slabs = new Slab[0];
    /** Slabs with a free slot. The lowest is used first, so that others become empty. */
    private final NumberSet free = new NumberSet();
    /** Places in {@link #slabs} that have none. */
    private final NumberSet vacant = new NumberSet();
    /** The slab that nobody uses and that is kept for the next one who wants a slot. */
    private int spare = NONE;
    private int inUse;
    /** Slots of all slabs. */
    private int capacity;

    /** Set by the loop. From then on everybody takes the lock, because the loop may have ended. */
    private volatile boolean closed;

    /** Top of the stack of slots that other threads gave. It is only taken as a whole: so there is no ABA. */
    private final AtomicInteger handedOver = new AtomicInteger(NONE);

    /**
     * @param index the allocator's memory as the device knows it.
     * @param loop whose thread the pool belongs to; it runs the task that takes back what other threads give.
     * @param slotSize bytes of a slot.
     * @param slotsPerSlab slots by which the pool grows, rounded up to a power of two.
     */
    public SlotPool(RdmaByteBufAllocator allocator, RegistrationIndex index, ThreadAwareExecutor loop, int slotSize,
                    int slotsPerSlab) {
        if (slotSize <= 0 || slotsPerSlab <= 0) {
            throw new IllegalArgumentException("a pool of " + slotSize + " bytes times " + slotsPerSlab);
        }
        this.allocator = allocator;
        this.index = index;
        this.loop = loop;
        this.slotSize = slotSize;
        stride = Math.multiplyExact((slotSize + CACHE_LINE - 1) / CACHE_LINE, CACHE_LINE);
        shift = Integer.SIZE - Integer.numberOfLeadingZeros(slotsPerSlab - 1);
        Math.multiplyExact(stride, 1 << shift);
    }

    /**
     * Takes a slot. Its content is what the last user left there.
     *
     * @throws IOException if there is none, and the allocator has no more memory or the device does not register it;
     *         its message has the cure. The pool is as before then.
     */
    public int take() throws IOException {
        int number = free.lowest();
        if (number == NONE) {
            acceptHandedOver();
            number = free.lowest();
            if (number == NONE) {
                number = grow();
            }
        }
        return takeFrom(number);
    }

    /**
     * Gives a slot back. Any thread. If a {@link ReceivedByteBuf} over it has a listener, the slot is that listener's
     * again and not the pool's.
     *
     * @throws IllegalStateException if the slot is free already; found out only on the loop's thread.
     */
    public void give(int slot) {
        if (loop.isExecutorThread(Thread.currentThread())) {
            giveOnLoop(slot);
        } else {
            handOver(slot);
        }
    }

    /**
     * The slot to go on with instead of {@code slot}, whose content nobody needs: another one of a lower slab when many
     * slots are free, and then {@code slot} is given back. Else slots that are used for long would keep many slabs with
     * few slots each. Belongs to the loop.
     */
    public int compact(int slot) {
        if (8 * inUse >= 7 * capacity) {
            return slot;
        }
        int number = free.lowest();
        if (number == NONE || number >= slot >>> shift) {
            return slot;
        }
        int lower = takeFrom(number);
        giveOnLoop(slot);
        return lower;
    }

    /** Gives the slot back with the buffer over it, which the pool had forgotten. Any thread. */
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

    /**
     * The memory that the slot is in, from {@link #offset} on. It is the same object for all slots of a slab: position
     * and limit mean nothing and may be changed.
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

    /**
     * The buffer over a slot from {@code from} on, the same one each time.
     *
     * @param from bytes of the slot in front of the buffer, the same in each call for the slot.
     */
    public ReceivedByteBuf received(int slot, int from) {
        ReceivedByteBuf[] buffers = slabs[slot >>> shift].buffers;
        ReceivedByteBuf buffer = buffers[index(slot)];
        if (buffer == null) {
            buffer = new ReceivedByteBuf(this, slot, buffer(slot).slice(offset(slot) + from, slotSize - from),
                    address(slot) + from);
            buffers[index(slot)] = buffer;
        }
        return buffer;
    }

    /** Bytes of all slabs. */
    public long bytes() {
        return (long) capacity * stride;
    }

    /** Slots that were taken and did not come back to the loop yet. */
    public int inUse() {
        return inUse;
    }

    /** The loop's thread is asked for, or a task is run there. */
    public ThreadAwareExecutor loop() {
        return loop;
    }

    /**
     * Gives the slabs back, those of which slots are out when the last of these comes. What could still write there
     * must be closed before: queue pairs whose receives are posted. Closing twice does nothing.
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

    private int grow() throws IOException {
        if (closed) {
            throw new IllegalStateException("the " + this + " is closed");
        }
        Slab slab = newSlab();
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

    /** Who reads the old array meanwhile finds the slabs there whose slots he has. */
    private void widen() {
        int length = slabs.length;
        Slab[] wider = Arrays.copyOf(slabs, Math.max(FIRST_SLABS, 2 * length));
        for (int number = length; number < wider.length; number++) {
            vacant.add(number);
        }
        slabs = wider;
    }

    /** Memory that runs out ends a connection, or makes it wait, as any other failure does; a loop is for many. */
    private Slab newSlab() throws IOException {
        try {
            return new Slab(allocator, index, 1 << shift, stride);
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
     * The loop rejects tasks when it is about to close the pool or has done so. Either it finds the slot on the stack
     * then, or we see that it has looked.
     */
    private void handOver(int slot) {
        int[] below = slabs[slot >>> shift].below;
        int top;
        do {
            top = handedOver.get();
            below[index(slot)] = top;
        } while (!handedOver.compareAndSet(top, slot));
        try {
            // A listener may wait for the slot, and the loop may be asleep. Later ones are taken along.
            if (top == NONE) {
                loop.execute(acceptTask);
            }
        } catch (RejectedExecutionException e) {
            if (closed) {
                acceptHandedOver();
            }
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

    private void acceptAll(boolean tell) {
        int slot = handedOver.getAndSet(NONE);
        while (slot != NONE) {
            // Read before the slot is accepted: then it may be given again and its link be written.
            int next = slabs[slot >>> shift].below[index(slot)];
            accept(slot, tell);
            slot = next;
        }
    }

    /** @param tell whether listeners can be called: they belong to the loop, and end with it. */
    private void accept(int slot, boolean tell) {
        int number = slot >>> shift;
        Slab slab = slabs[number];
        ReceivedByteBuf buffer = slab == null ? null : slab.buffers[index(slot)];
        SlotListener listener = buffer == null ? null : buffer.takeListener();
        if (listener != null && tell) {
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
            // The one with the lower number is used first.
            drop(Math.max(spare, number));
            spare = Math.min(spare, number);
        }
    }

    private void drop(int number) {
        slabs[number].release();
        slabs[number] = null;
        free.remove(number);
        vacant.add(number);
        capacity -= 1 << shift;
    }
}
