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
 * Runs of all sizes in chunks of its own. An arena has an owner, a thread with a {@link ThreadCache}, which seldom
 * needs more than the cache; or it is shared by threads that have none. A buffer goes back to where it came from:
 *
 * <pre>
 *   released by the owner       ---&gt; the owner's cache; when that is full, half of it ---&gt; runs
 *   by others, there is an owner --&gt; the stack of returned buffers, without a lock ---&gt; the owner's cache, when
 *                                    that is empty; runs, if the stack becomes large before
 *   there is no owner           ---&gt; runs
 * </pre>
 *
 * An owner that ends leaves its arena to the next thread that needs one. Who returns a buffer while it ends may still
 * have seen it: so, after the buffer is on the stack, it looks again, and empties the stack if there is nobody now; the
 * one that ends looks at the stack after it is gone. At least one of the two sees the other.
 */
final class Arena {

    /** Bytes of returned buffers that are worth taking the lock for: the owner may not want any for a long time. */
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
    /** The owner's. */
    private volatile ThreadCache cache;

    /** Top of a stack, linked by the buffers. It is only taken as a whole: so there is no ABA. */
    @SuppressWarnings("unused")
    private volatile RdmaByteBuf returned;

    private final ReentrantLock lock = new ReentrantLock();
    /** Under the lock, as all below. By class, the first run that has a slot. */
    private final Run[] firsts;
    /** By class, slots that are not in runs: in use, in the cache, or returned. */
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

    /** The arena belongs to the calling thread from now on. */
    void adopt(ThreadCache newCache) {
        cache = newCache;
        owner = Thread.currentThread();
    }

    /** Its thread does not need it any more; the cache is empty. */
    void orphan() {
        owner = null;
        cache = null;
        drain();
    }

    /** One slot, for a thread without a cache. */
    RdmaByteBuf take(int sizeClass) {
        lock.lock();
        try {
            acceptReturned();
            return takeSlot(sizeClass);
        } finally {
            lock.unlock();
        }
    }

    /** Slots from {@code into[0]} on; returns how many: one, unless more are there without a new run. */
    int take(int sizeClass, RdmaByteBuf[] into, int most) {
        lock.lock();
        try {
            acceptReturned();
            int count = 0;
            do {
                into[count++] = takeSlot(sizeClass);
            } while (count < most && firsts[sizeClass] != null);
            return count;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what nobody uses any more. Any thread. */
    void give(RdmaByteBuf buffer) {
        Thread current = owner;
        if (current == Thread.currentThread()) {
            cache.give(buffer);
        } else if (current != null) {
            giveBack(buffer);
        } else {
            giveNow(buffer);
        }
    }

    /** The top {@code count} of a cache's stack, from {@code at} on. */
    void give(RdmaByteBuf[] buffers, int at, int count) {
        lock.lock();
        try {
            for (int i = at; i < at + count; i++) {
                accept(buffers[i]);
                buffers[i] = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /** All that others have returned, linked by {@link RdmaByteBuf#below}. It counts as out. */
    RdmaByteBuf takeReturned() {
        return returned == null ? null : (RdmaByteBuf) RETURNED.getAndSet(this, null);
    }

    /** Takes in what others have returned. */
    void drain() {
        lock.lock();
        try {
            acceptReturned();
        } finally {
            lock.unlock();
        }
    }

    /** Adds what it has to the figures, by class. */
    void count(int[] runsByClass, int[] outByClass, int[] cachedByClass) {
        lock.lock();
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

    /** One buffer, to its run. Any thread. */
    void giveNow(RdmaByteBuf buffer) {
        lock.lock();
        try {
            accept(buffer);
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(RdmaByteBuf buffer) {
        RdmaByteBuf top;
        long bytes;
        do {
            top = returned;
            // Garbage if the top is taken meanwhile; then the stack is another one.
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
        for (Chunk chunk : chunks) {
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
        return new Run(allocator, this, chunk, sizeClass, classes.size(sizeClass), first, pages, classes.pageBytes());
    }

    private void end(Run run) {
        runs[run.sizeClass]--;
        Chunk chunk = run.chunk;
        chunk.givePages(run.firstPage, run.pages);
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
