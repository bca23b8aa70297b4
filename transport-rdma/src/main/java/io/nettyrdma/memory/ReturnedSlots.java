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

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Brings slots from other threads back to the loop of their {@link SlotPool}. These threads push them onto a stack, and
 * a task of the loop takes the whole stack. The links of the stack are in the slabs, so that nothing is allocated.
 *
 * <pre>
 *   other threads                                  the loop
 *   -------------                                  --------
 *   push slot 1, stack was empty: a task ------+
 *   push slot 2                                |
 *                                              +--&gt; takes 2 and 1, the stack is empty
 *   push slot 3, stack was empty: a task -------&gt; takes 3
 * </pre>
 *
 * Other threads call {@link #give}; the rest belongs to the loop. The tests of its races are in the module
 * {@code stress}.
 */
abstract class ReturnedSlots {

    private final ThreadAwareExecutor loop;
    private final Runnable acceptTask = this::acceptAll;
    private final Runnable acceptIfClosed = this::acceptIfClosed;

    /** Set by the loop. From then on every thread takes the lock, because the loop may have ended. */
    volatile boolean closed;

    /** Top of the stack of slots that other threads gave. It is only taken as a whole, so there is no ABA problem. */
    private final AtomicInteger top = new AtomicInteger(SlotPool.NONE);

    /** @param loop the loop that owns the pool. */
    ReturnedSlots(ThreadAwareExecutor loop) {
        this.loop = loop;
    }

    /** The slot below this one in the stack. On the thread that has taken the stack. */
    abstract int below(int slot);

    /** Sets the slot below this one. Before the slot is pushed, on the thread that gives it. */
    abstract void setBelow(int slot, int below);

    /**
     * Gets a slot back. On the loop, or under the lock of this object after {@link #close}.
     *
     * @param notifies whether to call listeners: they belong to the loop, and end with it.
     */
    abstract void accept(int slot, boolean notifies);

    /** Accepts all slots that other threads gave. */
    final void acceptAll() {
        if (closed) {
            synchronized (this) {
                acceptStack(loop.isExecutorThread(Thread.currentThread()));
            }
        } else {
            acceptStack(true);
        }
    }

    /** From now on slots are accepted on the threads that give them, if the loop has ended. */
    final void close() {
        closed = true;
        acceptAll();
    }

    /**
     * Gives a slot back. Any thread but the loop's.
     *
     * <p>A loop that has ended rejects tasks, and is about to close the pool or has closed it. Either it finds the slot
     * on the stack then, or this thread sees that the pool is closed.
     */
    final void give(int slot) {
        int below;
        do {
            below = top.get();
            setBelow(slot, below);
        } while (!top.compareAndSet(below, slot));
        // A listener may wait for the slot, and the loop may sleep. The task takes later slots along.
        if (below == SlotPool.NONE) {
            LoopTasks.execute(loop, acceptTask, acceptIfClosed);
        }
    }

    private void acceptIfClosed() {
        if (closed) {
            acceptAll();
        }
    }

    private void acceptStack(boolean notifies) {
        int slot = top.getAndSet(SlotPool.NONE);
        while (slot != SlotPool.NONE) {
            // Read before the slot is accepted: afterwards it may be given again, which writes its link.
            int below = below(slot);
            accept(slot, notifies);
            slot = below;
        }
    }
}
