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
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Slots of one size in registered memory. Slots are numbers; a pool grows by a slab, which is one memory region, when
 * it has none left, and never shrinks before it is closed.
 *
 * <pre>
 *   slot number     | slab | index within the slab |
 *
 *   the loop:       take() &lt;------ free (a stack) &lt;------ give()
 *                                     ^ all at once, by take() or by a task of the loop
 *   other threads:                 handed over (a stack) &lt;------ give()
 * </pre>
 *
 * Everything belongs to the loop's thread but {@link #give}, which any thread may call. The memory lives as long as
 * the pool or a buffer over it is reachable, so a buffer that the application still holds when the pool is closed can
 * be read on.
 */
public final class SlotPool implements RegisteredMemory, AutoCloseable {

    private static final int NONE = -1;
    private static final int CACHE_LINE = 64;

    private final ProtectionDomain domain;
    private final ThreadAwareExecutor loop;
    private final int slotSize;
    private final int stride;
    private final int shift;
    private final Runnable acceptTask = this::acceptHandedOver;

    /** Replaced when it grows. Who has a slot's number got it after the slab was in here. */
    private Slab[] slabs = new Slab[0];

    /** The same slabs by address. */
    private Slab[] sorted = slabs;
    private Slab lastFound;

    private int[] free = new int[0];
    private int freeCount;
    private boolean closed;

    /** Top of the stack of slots that other threads gave. The loop takes the whole stack: so there is no ABA. */
    private final AtomicInteger handedOver = new AtomicInteger(NONE);

    /**
     * @param loop whose thread the pool belongs to; it runs the task that takes back what other threads give.
     * @param slotSize bytes of a slot.
     * @param slotsPerSlab slots by which the pool grows, rounded up to a power of two.
     */
    public SlotPool(ProtectionDomain domain, ThreadAwareExecutor loop, int slotSize, int slotsPerSlab) {
        if (slotSize <= 0 || slotsPerSlab <= 0) {
            throw new IllegalArgumentException("a pool of " + slotSize + " bytes times " + slotsPerSlab);
        }
        this.domain = domain;
        this.loop = loop;
        this.slotSize = slotSize;
        stride = Math.multiplyExact((slotSize + CACHE_LINE - 1) / CACHE_LINE, CACHE_LINE);
        shift = Integer.SIZE - Integer.numberOfLeadingZeros(slotsPerSlab - 1);
        Math.multiplyExact(stride, 1 << shift);
    }

    /**
     * Takes a slot. Its content is what the last user left there.
     *
     * @throws VerbsException if there is none and more memory cannot be registered; its message has the cure. The pool
     *         is as before then.
     */
    public int take() throws VerbsException {
        if (freeCount == 0) {
            acceptHandedOver();
            if (freeCount == 0) {
                grow();
            }
        }
        int slot = free[--freeCount];
        slabs[slot >>> shift].taken[index(slot)] = true;
        return slot;
    }

    /**
     * Gives a slot back. Any thread. If a {@link ReceivedByteBuf} over it has a listener, the slot is that listener's
     * again and not the pool's.
     *
     * @throws IllegalStateException if the slot is free already; found out only on the loop's thread.
     */
    public void give(int slot) {
        if (loop.isExecutorThread(Thread.currentThread())) {
            accept(slot);
            return;
        }
        int[] below = slabs[slot >>> shift].below;
        int top;
        do {
            top = handedOver.get();
            below[index(slot)] = top;
        } while (!handedOver.compareAndSet(top, slot));
        if (top == NONE) {
            // A listener may wait for the slot, and the loop may be asleep. Later ones are taken along.
            try {
                loop.execute(acceptTask);
            } catch (RejectedExecutionException e) {
                // The loop has ended: nobody receives any more, and the memory goes with its last buffer.
                return;
            }
        }
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

    /** The key of any memory of this pool, be it of a slot in use or not. */
    @Override
    public long localKey(long address, int length) {
        Slab slab = lastFound;
        if (slab == null || !slab.contains(address, length)) {
            slab = find(address);
            if (slab == null || !slab.contains(address, length)) {
                return NOT_REGISTERED;
            }
            lastFound = slab;
        }
        return Integer.toUnsignedLong(slab.localKey);
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

    /** Bytes that are locked in memory for this pool. */
    public long registeredBytes() {
        long bytes = 0;
        for (Slab slab : slabs) {
            bytes += slab.region.isOpen() ? slab.length : 0;
        }
        return bytes;
    }

    /** Slots that were taken and did not come back to the loop yet. */
    public int inUse() {
        return (slabs.length << shift) - freeCount;
    }

    /** The loop's thread is asked for, or a task is run there. */
    public ThreadAwareExecutor loop() {
        return loop;
    }

    /**
     * Takes the memory away from the device. What could still write there must be closed before: queue pairs whose
     * receives are posted. Slots may come back afterwards. Closing twice does nothing.
     *
     * @throws VerbsException the first one, if regions could not be deregistered; all of them were tried.
     */
    @Override
    public void close() throws VerbsException {
        closed = true;
        VerbsException first = null;
        for (Slab slab : slabs) {
            try {
                slab.region.close();
            } catch (VerbsException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        sorted = new Slab[0];
        lastFound = null;
        if (first != null) {
            throw first;
        }
    }

    @Override
    public String toString() {
        return "pool of " + inUse() + " slots in use, of " + (slabs.length << shift) + " slots of " + slotSize
                + " bytes in " + domain;
    }

    private int index(int slot) {
        return slot & (1 << shift) - 1;
    }

    private void accept(int slot) {
        Slab slab = slabs[slot >>> shift];
        ReceivedByteBuf buffer = slab.buffers[index(slot)];
        SlotListener listener = buffer == null ? null : buffer.takeListener();
        if (listener != null) {
            listener.released(slot);
            return;
        }
        if (!slab.taken[index(slot)]) {
            throw new IllegalStateException("slot " + slot + " was given back before to the " + this);
        }
        slab.taken[index(slot)] = false;
        free[freeCount++] = slot;
    }

    private void acceptHandedOver() {
        int slot = handedOver.getAndSet(NONE);
        while (slot != NONE) {
            // Read before the slot is accepted: then it may be given again and its link be written.
            int next = slabs[slot >>> shift].below[index(slot)];
            accept(slot);
            slot = next;
        }
    }

    private void grow() throws VerbsException {
        if (closed) {
            throw new IllegalStateException("the " + this + " is closed");
        }
        int slots = 1 << shift;
        int first = slabs.length << shift;
        Slab slab = new Slab(domain, slots, stride);
        Slab[] byAddress = Arrays.copyOf(slabs, slabs.length + 1);
        byAddress[slabs.length] = slab;
        slabs = byAddress.clone();
        Arrays.sort(byAddress, (left, right) -> Long.compare(left.address, right.address));
        sorted = byAddress;
        free = Arrays.copyOf(free, first + slots);
        // The lowest number is on top.
        for (int slot = first + slots - 1; slot >= first; slot--) {
            free[freeCount++] = slot;
        }
    }

    /** The last slab that begins at the address or before it. */
    private Slab find(long address) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = low + high >>> 1;
            if (sorted[middle].address <= address) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? null : sorted[low - 1];
    }
}
