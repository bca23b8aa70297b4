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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs of all size classes, in the arena's own chunks. An arena is either owned by a thread that has a
 * {@link ThreadCache} and seldom needs the arena itself, or shared by threads without a cache. A buffer returns to its
 * arena:
 *
 * <pre>
 *   released by the owner       ---&gt; the owner's cache; when that is full, half of it ---&gt; runs
 *   by others, there is an owner --&gt; the stack of returned buffers, without a lock ---&gt; the owner's cache, when
 *                                    that is empty; runs, if the stack becomes large first
 *   there is no owner           ---&gt; runs
 * </pre>
 *
 * When the owner ends, the next thread that needs an arena takes it over. A thread that returns a buffer at that moment
 * may still see the old owner. It therefore checks again after the push, and drains the stack if the arena has no
 * owner. The ending owner clears the owner field first and then drains the stack. At least one of the two sees the
 * other.
 */
final class Arena {

    /**
     * Bytes of returned buffers from which on a thread drains the stack: the owner may not need them for a long time.
     */
    private static final long MANY = 256 << 10;

    private static final VarHandle RETURNED;

    static {
        try {
            RETURNED = MethodHandles.lookup().findVarHandle(Arena.class, "returned", RdmaByteBuf.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final RdmaByteBufAllocator allocator;
    private final SizeClasses classes;
    private final ChunkPool pool;

    private volatile Thread owner;
    /** The cache of the owner; {@code null} without an owner. */
    private volatile ThreadCache cache;

    /**
     * Top of a stack that is linked through the buffers. It is only taken as a whole, so the ABA problem cannot occur.
     */
    @SuppressWarnings("unused")
    private volatile RdmaByteBuf returned;

    private final ReentrantLock lock = new ReentrantLock();
    /** By size class, the first run that has a free slot. Guarded by the lock, like all fields below. */
    private final Run[] firsts;
    /**
     * By size class, the slots that are not in their run: in use, in the cache, or on the stack of returned buffers.
     */
    private final int[] out;
    private final int[] runs;
    private final List<Chunk> chunks = new ArrayList<>();

    Arena(RdmaByteBufAllocator allocator, SizeClasses classes, ChunkPool pool) {
        this.allocator = allocator;
        this.classes = classes;
        this.pool = pool;
        firsts = new Run[classes.count()];
        out = new int[classes.count()];
        runs = new int[classes.count()];
    }

    /** Makes the calling thread the owner. */
    void adopt(ThreadCache newCache) {
        cache = newCache;
        owner = Thread.currentThread();
    }

    /** Ends the ownership. The cache must be empty. */
    void orphan() {
        owner = null;
        cache = null;
        drain();
    }

    /** Takes one slot, for a thread without a cache. */
    RdmaByteBuf take(int sizeClass) {
        lock();
        try {
            acceptReturned();
            return takeSlot(sizeClass);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fills {@code into} with up to {@code maxCount} slots; returns their count. Creates a run only for the first slot.
     */
    int take(int sizeClass, RdmaByteBuf[] into, int maxCount) {
        lock();
        try {
            acceptReturned();
            int count = 0;
            do {
                into[count++] = takeSlot(sizeClass);
            } while (count < maxCount && firsts[sizeClass] != null);
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back a released buffer. Safe from any thread. */
    void give(RdmaByteBuf buffer) {
        Thread current = owner;
        if (current == Thread.currentThread()) {
            cache.give(buffer);
        } else if (current != null) {
            pushReturned(buffer);
        } else {
            giveNow(buffer);
        }
    }

    /** Takes back {@code count} buffers of a cache, starting at index {@code at}. */
    void give(RdmaByteBuf[] buffers, int at, int count) {
        lock();
        try {
            for (int i = at; i < at + count; i++) {
                accept(buffers[i]);
                buffers[i] = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the whole stack of returned buffers, linked by {@link RdmaByteBuf#below}. They still count as {@code out}.
     */
    RdmaByteBuf takeReturned() {
        return returned == null ? null : (RdmaByteBuf) RETURNED.getAndSet(this, null);
    }

    /** Puts returned buffers back into their runs. */
    void drain() {
        lock();
        try {
            acceptReturned();
        } finally {
            lock.unlock();
        }
    }

    /** Adds the counts of this arena to the totals, by size class. */
    void count(int[] runsByClass, int[] outByClass, int[] cachedByClass) {
        lock();
        try {
            acceptReturned();
            ThreadCache current = cache;
            for (int i = 0; i < out.length; i++) {
                runsByClass[i] += runs[i];
                outByClass[i] += out[i];
                cachedByClass[i] += current == null ? 0 : current.count(i);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Puts one buffer back into its run. Safe from any thread. */
    void giveNow(RdmaByteBuf buffer) {
        lock();
        try {
            accept(buffer);
        } finally {
            lock.unlock();
        }
    }

    /** Others hold it for some instructions. A method of its own, which the integration for BlockHound names. */
    private void lock() {
        lock.lock();
    }

    private void pushReturned(RdmaByteBuf buffer) {
        RdmaByteBuf top;
        long bytes;
        do {
            top = returned;
            // May be garbage if another thread has taken the top; then the compare-and-set fails.
            bytes = buffer.run().slotBytes + (top == null ? 0 : top.stackBytes);
            buffer.below = top;
            buffer.stackBytes = bytes;
        } while (!RETURNED.compareAndSet(this, top, buffer));
        if (owner == null) {
            drain();
        } else if (bytes >= MANY && lock.tryLock()) {
            try {
                acceptReturned();
            } finally {
                lock.unlock();
            }
        }
    }

    private void acceptReturned() {
        RdmaByteBuf buffer = takeReturned();
        while (buffer != null) {
            RdmaByteBuf below = buffer.below;
            buffer.below = null;
            accept(buffer);
            buffer = below;
        }
    }

    private RdmaByteBuf takeSlot(int sizeClass) {
        Run run = firsts[sizeClass];
        if (run == null) {
            run = newRun(sizeClass);
            link(run);
        }
        RdmaByteBuf buffer = run.take();
        out[sizeClass]++;
        if (!run.hasSlot()) {
            unlink(run);
        }
        return buffer;
    }

    private void accept(RdmaByteBuf buffer) {
        Run run = buffer.run();
        boolean wasFull = !run.hasSlot();
        run.give(buffer);
        out[run.sizeClass]--;
        if (wasFull) {
            link(run);
        }
        if (run.isUnused()) {
            unlink(run);
            end(run);
        }
    }

    private Run newRun(int sizeClass) {
        int pages = classes.runPages(sizeClass);
        for (int i = 0; i < chunks.size(); i++) {
            Chunk chunk = chunks.get(i);
            int first = chunk.takePages(pages);
            if (first >= 0) {
                return newRun(chunk, sizeClass, first, pages);
            }
        }
        Chunk chunk = pool.take(classes.pageBytes() * SizeClasses.PAGES);
        chunks.add(chunk);
        return newRun(chunk, sizeClass, chunk.takePages(pages), pages);
    }

    private Run newRun(Chunk chunk, int sizeClass, int first, int pages) {
        runs[sizeClass]++;
        Run kept = chunk.takeKept(first);
        if (kept != null && kept.sizeClass == sizeClass) {
            kept.arena = this;
            return kept;
        }
        return new Run(allocator, this, chunk, sizeClass, classes.size(sizeClass), first, pages, classes.pageBytes());
    }

    private void end(Run run) {
        runs[run.sizeClass]--;
        Chunk chunk = run.chunk;
        chunk.givePages(run.firstPage, run.pages);
        if (run.isSmall()) {
            chunk.keep(run);
        }
        if (chunk.isUnused()) {
            chunks.remove(chunk);
            pool.give(chunk);
        }
    }

    private void link(Run run) {
        Run first = firsts[run.sizeClass];
        run.next = first;
        if (first != null) {
            first.previous = run;
        }
        firsts[run.sizeClass] = run;
    }

    private void unlink(Run run) {
        if (run.previous == null) {
            firsts[run.sizeClass] = run.next;
        } else {
            run.previous.next = run.next;
        }
        if (run.next != null) {
            run.next.previous = run.previous;
        }
        run.previous = null;
        run.next = null;
    }
}
