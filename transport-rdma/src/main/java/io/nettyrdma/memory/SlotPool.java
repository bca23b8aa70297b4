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
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.buffer.TransportMemory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.StringJoiner;

/**
 * Slots of a few sizes in registered memory, for receives and for frames that are assembled. They are cut out of slabs,
 * which are buffers of the allocator: the pool grows by a slab when no slot of a size is free, as far as
 * {@link TransportMemory} allows. One unused slab of each size stays, and others for a second or two, while there is
 * plenty of memory: the next burst needs as many. Slots are numbers, because a work request id has room for one; a
 * number names the slab, and so the size.
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
    /** Unused slabs of one size: a message that is copied takes as much if it is as long. */
    private static final int MAX_UNUSED_BYTES = 1 << 20;
    private static final int TRIM_MILLIS = 1_000;
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(SlotPool.class);

    private final RdmaByteBufAllocator allocator;
    private final RegistrationIndex index;
    private final ThreadAwareExecutor loop;
    /** From the smallest to the largest. */
    private final SlotSize[] sizes;
    private final int headerRoom;
    /** Of a slot's number: the bits of its index in the slab. */
    private final int shift;
    private final Runnable trimTask = this::trim;
    private boolean isTrimScheduled;

    private final Slabs slabs = new Slabs();
    /** Its lock guards the pool after a close. */
    private final ReturnedSlots returned;

    /**
     * A pool of slots of one size.
     *
     * @param index registrations of the allocator's memory with the device.
     * @param loop the loop that owns the pool, and runs the task that takes back what other threads give.
     * @param slotSize bytes of a slot.
     * @param headerRoom bytes of a slot in front of the payload: a {@link ReceivedByteBuf} begins behind them.
     * @param slotsPerSlab slots by which the pool grows, rounded up to a power of two.
     */
    public SlotPool(RdmaByteBufAllocator allocator, RegistrationIndex index, ThreadAwareExecutor loop, int slotSize,
                    int headerRoom, int slotsPerSlab) {
        this(allocator, index, loop, headerRoom, SlotSize.ofSlots(slotSize, slotsPerSlab));
    }

    /**
     * A pool of slots of several sizes.
     *
     * @param slotSizes bytes, from the smallest to the largest.
     * @param slabBytes bytes by which the pool grows, or one slot.
     */
    public SlotPool(RdmaByteBufAllocator allocator, RegistrationIndex index, ThreadAwareExecutor loop, int[] slotSizes,
                    int headerRoom, int slabBytes) {
        this(allocator, index, loop, headerRoom, Arrays.stream(slotSizes)
                .mapToObj(bytes -> SlotSize.ofSlab(bytes, slabBytes)).toArray(SlotSize[]::new));
    }

    private SlotPool(RdmaByteBufAllocator allocator, RegistrationIndex index, ThreadAwareExecutor loop, int headerRoom,
                     SlotSize... sizes) {
        if (headerRoom < 0 || headerRoom >= sizes[0].bytes) {
            throw new IllegalArgumentException(headerRoom + " bytes of header in a slot of " + sizes[0].bytes);
        }
        this.allocator = allocator;
        this.index = index;
        this.loop = loop;
        this.headerRoom = headerRoom;
        this.sizes = sizes;
        shift = SlotSize.bits(sizes[0].slots);
        returned = new Returned(loop);
    }

    /**
     * Takes a slot that a connection cannot do without. Its content is what the last user left there.
     *
     * @param size which of the sizes, from 0 on.
     * @throws IOException if no slot is free, and the allocator has no more memory, or none but the application's, or
     *         the device does not register it; the message has the cure. The pool is unchanged then.
     */
    public int take(int size) throws IOException {
        int number = lowestFree(sizes[size]);
        return takeFrom(number == NONE ? grow(sizes[size], true) : number);
    }

    /**
     * Takes a slot that makes a connection faster, for long.
     *
     * @param size which of the sizes, from 0 on.
     * @return {@link #NONE} if there is not plenty of memory, even if slots are free: those that come back soon need
     *         them. Try again later.
     */
    public int takeIfPlenty(int size) {
        return TransportMemory.of(allocator).isPlenty() ? takeIfAny(size) : NONE;
    }

    /**
     * Takes a slot that makes a connection faster, for a moment.
     *
     * @param size which of the sizes, from 0 on.
     * @return {@link #NONE} if no slot is free, and there is not plenty of memory, see {@link TransportMemory}. Try
     *         again later.
     */
    public int takeIfAny(int size) {
        SlotSize slots = sizes[size];
        int number = lowestFree(slots);
        if (number == NONE) {
            if (slots.patience > 0) {
                slots.patience--;
                return NONE;
            }
            try {
                number = grow(slots, false);
            } catch (IOException e) {
                LOGGER.debug("{} does not grow", this, e);
                slots.patience = PATIENCE;
            }
        }
        return number == NONE ? NONE : takeFrom(number);
    }

    private int lowestFree(SlotSize slots) {
        int number = slots.free.lowest();
        if (number == NONE) {
            returned.acceptAll();
            number = slots.free.lowest();
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
            returned.give(slot);
        }
    }

    /**
     * Replaces slots whose content is not needed by slots of lower slabs, and gives the others back, if many slots are
     * free. Otherwise slots that are used for long would keep many slabs with few slots each. Event loop only.
     *
     * @param slots of one size.
     * @param count the first ones of the array.
     */
    public void compact(int[] slots, int count) {
        if (count == 0) {
            return;
        }
        SlotSize size = slabs.get(slots[0] >>> shift).size;
        if (8 * size.inUse >= 7 * size.capacity) {
            return;
        }
        for (int i = 0; i < count; i++) {
            slots[i] = lower(slots[i], size);
        }
    }

    private int lower(int slot, SlotSize size) {
        int number = size.free.lowest();
        if (number == NONE || number >= slot >>> shift) {
            return slot;
        }
        int lower = takeFrom(number);
        giveOnLoop(slot);
        return lower;
    }

    /** Gives the slot back with its buffer, which the pool had forgotten. Any thread. */
    void give(ReceivedByteBuf buffer, int slot) {
        slabs.get(slot >>> shift).buffers[index(slot)] = buffer;
        give(slot);
    }

    void forget(int slot) {
        slabs.get(slot >>> shift).buffers[index(slot)] = null;
    }

    /** Bytes of the largest slots. */
    public int slotSize() {
        return sizes[sizes.length - 1].bytes;
    }

    /** Bytes of this slot. */
    public int slotSize(int slot) {
        return slabs.get(slot >>> shift).size.bytes;
    }

    /** Whether this slot is of the smallest size. */
    public boolean isSmallest(int slot) {
        return slabs.get(slot >>> shift).size == sizes[0];
    }

    /** The smallest size with as many bytes, or the largest of all. */
    public int sizeFor(int bytes) {
        int size = 0;
        while (size < sizes.length - 1 && sizes[size].bytes < bytes) {
            size++;
        }
        return size;
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
        return slabs.get(slot >>> shift).bytes;
    }

    /** Where the slot begins in its {@link #buffer}. */
    public int offset(int slot) {
        return index(slot) * slabs.get(slot >>> shift).size.stride;
    }

    public long address(int slot) {
        Slab slab = slabs.get(slot >>> shift);
        return slab.address + index(slot) * slab.size.stride;
    }

    public int localKey(int slot) {
        return slabs.get(slot >>> shift).localKey;
    }

    /** Returns the buffer over a slot's payload, the same one each time. */
    public ReceivedByteBuf received(int slot) {
        ReceivedByteBuf[] buffers = slabs.get(slot >>> shift).buffers;
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
                buffer(slot).slice(offset(slot) + headerRoom, slotSize(slot) - headerRoom),
                address(slot) + headerRoom);
    }

    RdmaByteBufAllocator allocator() {
        return allocator;
    }

    /** Bytes of all slabs. */
    public long bytes() {
        return Arrays.stream(sizes).mapToLong(size -> (long) size.capacity * size.stride).sum();
    }

    /** Slots that were taken and have not come back to the loop yet. */
    public int inUse() {
        return Arrays.stream(sizes).mapToInt(size -> size.inUse).sum();
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
        returned.close();
        // Other threads may accept slots now.
        synchronized (returned) {
            for (int i = 0; i < slabs.end(); i++) {
                if (slabs.get(i) != null && slabs.get(i).isUnused()) {
                    drop(i);
                }
            }
        }
    }

    @Override
    public String toString() {
        StringJoiner bytes = new StringJoiner(" or ");
        for (SlotSize size : sizes) {
            bytes.add(Integer.toString(size.bytes));
        }
        return "pool of " + inUse() + " slots in use, of " + bytes + " bytes each, in " + bytes() + " bytes for "
                + index.domain();
    }

    private int index(int slot) {
        return slot & (1 << shift) - 1;
    }

    private int takeFrom(int number) {
        Slab slab = slabs.get(number);
        SlotSize size = slab.size;
        if (slab.isUnused()) {
            size.removeUnused(number);
        }
        size.inUse++;
        int slot = number << shift | slab.take();
        if (!slab.hasFree()) {
            size.free.remove(number);
        }
        return slot;
    }

    /** @param needed whether the memory is needed; otherwise NONE is returned if there is not plenty. */
    private int grow(SlotSize size, boolean needed) throws IOException {
        if (returned.closed) {
            throw new IllegalStateException("the " + this + " is closed");
        }
        Slab slab = Slab.take(allocator, index, size, needed);
        if (slab == null) {
            return NONE;
        }
        int number = slabs.add(slab);
        size.addUnused(number);
        size.free.add(number);
        size.capacity += size.slots;
        return number;
    }

    private void giveOnLoop(int slot) {
        if (returned.closed) {
            synchronized (returned) {
                accept(slot, true);
            }
        } else {
            accept(slot, true);
        }
    }

    /** @param notifies whether to call listeners: they belong to the loop, and end with it. */
    private void accept(int slot, boolean notifies) {
        int number = slot >>> shift;
        Slab slab = slabs.get(number);
        ReceivedByteBuf buffer = slab == null ? null : slab.buffers[index(slot)];
        SlotListener listener = buffer == null ? null : buffer.takeListener();
        if (listener != null && notifies) {
            listener.released(slot);
            return;
        }
        if (slab == null || !slab.give(index(slot))) {
            throw new IllegalStateException("slot " + slot + " was given back before to the " + this);
        }
        slab.size.inUse--;
        slab.size.free.add(number);
        if (slab.isUnused()) {
            unused(number, slab.size);
        }
    }

    private void unused(int number, SlotSize size) {
        int count = size.addUnused(number);
        if (returned.closed) {
            drop(number);
        } else if (count > 1 && !keeps(count, size)) {
            // The lowest number is used first.
            drop(size.unused.highest());
        }
    }

    private boolean keeps(int count, SlotSize size) {
        return (long) count * size.slabBytes() <= MAX_UNUSED_BYTES && TransportMemory.of(allocator).isPlenty()
                && trimLater();
    }

    private boolean trimLater() {
        isTrimScheduled = isTrimScheduled || LoopTasks.schedule(loop, trimTask, TRIM_MILLIS);
        return isTrimScheduled;
    }

    /** Returns the slabs that were unused all the time since the last call. */
    private void trim() {
        isTrimScheduled = false;
        if (returned.closed) {
            return;
        }
        boolean again = false;
        for (SlotSize size : sizes) {
            for (int unneeded = size.takeUnneeded(); unneeded > 0; unneeded--) {
                drop(size.unused.highest());
            }
            again |= size.hasSpare();
        }
        if (again) {
            trimLater();
        }
    }

    private void drop(int number) {
        Slab slab = slabs.get(number);
        slab.release();
        slabs.remove(number);
        slab.size.free.remove(number);
        slab.size.removeUnused(number);
        slab.size.capacity -= slab.size.slots;
    }

    /** The way back of this pool's slots. Their links are in the slabs. */
    private final class Returned extends ReturnedSlots {

        Returned(ThreadAwareExecutor loop) {
            super(loop);
        }

        @Override
        int below(int slot) {
            return slabs.get(slot >>> shift).below[index(slot)];
        }

        @Override
        void setBelow(int slot, int below) {
            slabs.get(slot >>> shift).below[index(slot)] = below;
        }

        @Override
        void accept(int slot, boolean notifies) {
            SlotPool.this.accept(slot, notifies);
        }
    }
}
