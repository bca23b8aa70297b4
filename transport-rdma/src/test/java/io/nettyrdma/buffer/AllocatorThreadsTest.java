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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads of all kinds pass buffers to each other. Each buffer is stamped, checked by its receiver, sometimes grown or
 * shared, and released on whichever thread has it. Threads end and are replaced while their buffers are in use. A
 * failure reports its seed. {@code -Dio.nettyrdma.test.seed} draws the same sizes and routes again, but threads
 * interleave differently. {@code -Dio.nettyrdma.test.shifts=128} makes it take half a minute; each build has 32 once.
 * {@code -Dio.nettyrdma.test.factor} multiplies them.
 */
@ExtendWith(NoLeakDetection.class)
class AllocatorThreadsTest {

    private static final int SHIFTS = Integer.getInteger("io.nettyrdma.test.shifts", 8)
            * Integer.getInteger("io.nettyrdma.test.factor", 1);
    private static final int STEPS = 6_000;

    private static final int DEDICATED = 5 << 20;
    private static final long MOST_OUT = 64 << 20;

    /** The workers. Those that are not replaced do all their shifts on one thread. */
    private enum Post {
        A(ThreadKind.EVENT_LOOP, true), B(ThreadKind.EVENT_LOOP, true), C(ThreadKind.EVENT_LOOP, false),
        D(ThreadKind.FAST_THREAD, true), E(ThreadKind.FAST_THREAD, true), F(ThreadKind.FAST_THREAD, false),
        G(ThreadKind.THREAD, true), H(ThreadKind.THREAD, false);

        private final ThreadKind kind;
        private final boolean replaced;

        Post(ThreadKind kind, boolean replaced) {
            this.kind = kind;
            this.replaced = replaced;
        }
    }

    /** A buffer in transit, with one reference for each holder. */
    private static final class Parcel {

        private final ByteBuf buffer;
        private final AtomicInteger holders = new AtomicInteger(1);
        private long stamp;

        Parcel(ByteBuf buffer) {
            this.buffer = buffer;
        }
    }

    @RegisterExtension
    final Seed seed = new Seed();
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();

    private final LiveRanges ranges = new LiveRanges();
    private final AtomicLong bytesOut = new AtomicLong();
    private final AtomicLong stamps = new AtomicLong();
    private final List<Queue<Parcel>> inboxes = new ArrayList<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    @Test
    void buffersPassBetweenThreads() throws InterruptedException {
        for (Post post : Post.values()) {
            inboxes.add(new ConcurrentLinkedQueue<>());
        }
        for (Post post : Post.values()) {
            start(post, 0);
        }
        // A thread that is replaced adds its successor before it ends.
        for (Thread next = threads.poll(); next != null; next = threads.poll()) {
            next.join();
        }
        assertThat(failure.get()).as("seed %s", seed).isNull();
        new Worker(Post.H, SHIFTS).releaseAll();

        assertThat(ranges.isEmpty()).isTrue();
        allocator.trim();
        assertThat(allocator.metric().inUseBytes()).as("seed %s: bytes in use", seed).isZero();
        assertThat(allocator.metric().committedBytes()).as("seed %s: committed bytes", seed).isZero();
    }

    /** One other thread inherits what a thread has left; the next one creates its own. */
    @Test
    void anArenaHasOneOwner() throws InterruptedException {
        CountDownLatch counted = new CountDownLatch(1);
        startedAndCached(new CountDownLatch(0)).join();
        assertThat(allocator.arenas()).hasSize(1);
        Thread first = startedAndCached(counted);
        long cached = allocator.metric().cachedBytes();
        assertThat(cached).isPositive();
        Thread second = startedAndCached(counted);
        assertThat(allocator.arenas()).hasSize(2);
        assertThat(allocator.metric().cachedBytes()).isEqualTo(2 * cached);
        counted.countDown();
        first.join();
        second.join();
        assertThat(allocator.metric().cachedBytes()).isZero();
    }

    /** The owner may not allocate for hours. Metrics by size are not queried: that would take the buffers in. */
    @Test
    void foreignReleaseDoesNotWaitForTheOwner() throws InterruptedException {
        List<ByteBuf> buffers = new ArrayList<>();
        CountDownLatch released = new CountDownLatch(1);
        Thread owner = startedAndDone(() -> {
            for (int i = 0; i < 256; i++) {
                buffers.add(allocator.directBuffer(64 << 10));
            }
        }, released);
        RdmaByteBufAllocatorMetric metric = allocator.metric();
        assertThat(metric.committedBytes() - metric.idleBytes()).isGreaterThanOrEqualTo(16 << 20);
        buffers.forEach(ByteBuf::release);
        assertThat(metric.committedBytes() - metric.idleBytes()).isLessThanOrEqualTo(4 << 20);
        released.countDown();
        owner.join();
        assertThat(metric.committedBytes() - metric.idleBytes()).isZero();
    }

    private Thread startedAndCached(CountDownLatch mayEnd) throws InterruptedException {
        return startedAndDone(() -> allocator.directBuffer(64).release(), mayEnd);
    }

    /** A thread that has done its task and waits for permission to end. */
    private static Thread startedAndDone(Runnable task, CountDownLatch mayEnd) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        Thread thread = ThreadKind.FAST_THREAD.start(() -> {
            task.run();
            done.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                // Not interrupted here; it would end.
            }
        });
        done.await();
        return thread;
    }

    private void start(Post post, int shift) {
        threads.add(post.kind.start(() -> {
            int done = shift;
            try {
                do {
                    new Worker(post, done++).work();
                } while (!post.replaced && done < SHIFTS);
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
            }
            if (done < SHIFTS && failure.get() == null) {
                start(post, done);
            }
        }));
    }

    /** What one thread does in one shift. */
    private final class Worker {

        private final Post post;
        private final SplittableRandom random;

        Worker(Post post, int shift) {
            this.post = post;
            random = new SplittableRandom(seed.value() + 31L * post.ordinal() + 1009L * shift);
        }

        void work() {
            for (int i = 0; i < STEPS && failure.get() == null; i++) {
                step();
            }
        }

        void releaseAll() {
            for (Queue<Parcel> inbox : inboxes) {
                for (Parcel parcel = inbox.poll(); parcel != null; parcel = inbox.poll()) {
                    release(parcel);
                }
            }
        }

        private void step() {
            if (random.nextInt(1000) == 0) {
                allocator.trim();
            }
            if (bytesOut.get() > MOST_OUT) {
                // Any inbox, because its thread may be gone.
                receive(inboxes.get(random.nextInt(inboxes.size())).poll());
            } else if (random.nextBoolean()) {
                receive(inboxes.get(post.ordinal()).poll());
            } else {
                allocate();
            }
        }

        private void allocate() {
            Parcel parcel = new Parcel(allocator.directBuffer(size()));
            bytesOut.addAndGet(parcel.buffer.capacity());
            ranges.add(parcel.buffer);
            stamp(parcel);
            if (random.nextInt(8) == 0) {
                parcel.holders.incrementAndGet();
                parcel.buffer.retain();
                hand(parcel);
            }
            hand(parcel);
        }

        private void receive(Parcel parcel) {
            if (parcel == null) {
                return;
            }
            Stamp.check(parcel.buffer, parcel.buffer.capacity(), parcel.stamp);
            switch (random.nextInt(8)) {
                case 0 -> hand(parcel);
                case 1 -> {
                    if (parcel.holders.get() == 1) {
                        grow(parcel);
                    }
                    hand(parcel);
                }
                default -> release(parcel);
            }
        }

        private void grow(Parcel parcel) {
            ByteBuf buffer = parcel.buffer;
            int before = buffer.capacity();
            ranges.remove(buffer);
            buffer.capacity(before + random.nextInt(before));
            ranges.add(buffer);
            bytesOut.addAndGet(buffer.capacity() - before);
            Stamp.check(buffer, before, parcel.stamp);
            stamp(parcel);
        }

        private void stamp(Parcel parcel) {
            parcel.stamp = (long) post.ordinal() << 56 | stamps.incrementAndGet() << 24;
            Stamp.write(parcel.buffer, parcel.stamp);
        }

        private void hand(Parcel parcel) {
            inboxes.get(random.nextInt(inboxes.size())).add(parcel);
        }

        private void release(Parcel parcel) {
            if (parcel.holders.decrementAndGet() == 0) {
                ranges.remove(parcel.buffer);
                bytesOut.addAndGet(-parcel.buffer.capacity());
            }
            parcel.buffer.release();
        }

        /** 64 bytes to 1 MiB, mostly small, and a few that are too large for a chunk. */
        private int size() {
            if (random.nextInt(1000) == 0) {
                return DEDICATED;
            }
            int bits = 6 + Math.min(random.nextInt(15), random.nextInt(15));
            return random.nextInt(1 << bits - 1, 1 << bits) + 1;
        }
    }
}
