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
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Other threads return buffers to their owner's arena while it allocates, trims or ends. Each round is one race of two
 * or three threads, after which all memory must be accounted for. A failure reports its seed. {@code
 * -Dio.nettyrdma.test.seed} draws the same sizes and delays again. {@code -Dio.nettyrdma.test.races} is the number of
 * rounds; each build has 800 once. {@code -Dio.nettyrdma.test.factor} multiplies them.
 */
@ExtendWith(NoLeakDetection.class)
class AllocatorRacesTest {

    private static final int ROUNDS = Integer.getInteger("io.nettyrdma.test.races", 400)
            * Integer.getInteger("io.nettyrdma.test.factor", 1);
    private static final int CHUNK = 1 << 20;
    private static final int MOST_BUFFERS = 200;

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();
    // Small chunks and caches, so that most rounds exhaust both.
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder()
            .chunkBytes(CHUNK).threadCacheBytes(4 << 10).idleBytes(CHUNK).build();

    private final DefaultEventExecutor owner = new DefaultEventExecutor();
    private final DefaultEventExecutor loop = new DefaultEventExecutor();
    private final ExecutorService plain = Executors.newSingleThreadExecutor();

    private long stamps;

    @AfterEach
    void endThreads() throws InterruptedException {
        owner.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        plain.shutdown();
        assertThat(plain.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void foreignReleaseWhileTheOwnerAllocates() throws Exception {
        othersReleaseWhileAllocates(owner, plain);
        owner.submit(allocator::trim).get();
        checkNothingIsCommitted(ROUNDS);
    }

    @Test
    void foreignReleaseWhileAThreadWithoutACacheAllocates() throws Exception {
        othersReleaseWhileAllocates(plain, owner);
        checkNothingIsCommitted(ROUNDS);
    }

    private void othersReleaseWhileAllocates(ExecutorService allocating, ExecutorService releasing) throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = bytes();
            Batch first = batch();
            Batch second = batch();
            Batch third = batch();
            allocating.submit(() -> {
                first.allocate(bytes);
                second.allocate(bytes);
            }).get();
            new Race(random)
                    .with(allocating, () -> third.allocate(bytes))
                    .with(releasing, first::release)
                    .with(loop, second::release)
                    .run();
            third.release();
            checkNothingIsInUse(round);
        }
    }

    @Test
    void foreignReleaseWhileTheOwnerTrims() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = bytes();
            Batch first = batch();
            Batch second = batch();
            Batch third = batch();
            owner.submit(() -> {
                first.allocate(bytes);
                second.allocate(bytes);
            }).get();
            new Race(random)
                    .with(owner, allocator::trim)
                    .with(loop, () -> {
                        first.release();
                        allocator.trim();
                    })
                    .with(plain, () -> {
                        third.allocate(bytes);
                        second.release();
                    })
                    .run();
            third.release();
            owner.submit(allocator::trim).get();
            loop.submit(allocator::trim).get();
            checkNothingIsInUse(round);
            checkNothingIsCommitted(round);
        }
    }

    @Test
    void foreignReleaseWhileTheOwnerEnds() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = bytes();
            Batch first = batch();
            Batch second = batch();
            Thread[] ending = new Thread[1];
            new Race(random)
                    .with(task -> {
                        ending[0] = new FastThreadLocalThread(task);
                        ending[0].start();
                    }, () -> {
                        first.allocate(bytes);
                        second.allocate(bytes);
                    }, () -> { })
                    .with(loop, first::releaseAtOnce)
                    .with(plain, second::releaseAtOnce)
                    .run();
            ending[0].join();
            // Checked before any call that would look for stragglers: no thread is left to take them in.
            RdmaByteBufAllocatorMetric metric = allocator.metric();
            assertThat(metric.idleBytes()).as("seed %s, round %d: idle bytes", seed, round)
                    .isEqualTo(metric.committedBytes());
            checkNothingIsInUse(round);
            checkNothingIsCommitted(round);
        }
    }

    /** The next thread may get the arena of the one that ended, while buffers still return to it. */
    @Test
    void foreignReleaseWhileTheOwnerIsReplaced() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            int bytes = bytes();
            Batch first = batch();
            Batch second = batch();
            Thread gone = new FastThreadLocalThread(() -> first.allocate(bytes));
            gone.start();
            gone.join();
            Thread[] next = new Thread[1];
            new Race(random)
                    .with(task -> {
                        next[0] = new FastThreadLocalThread(task);
                        next[0].start();
                    }, () -> second.allocate(bytes))
                    .with(plain, first::release)
                    .run();
            next[0].join();
            second.release();
            checkNothingIsInUse(round);
            checkNothingIsCommitted(round);
        }
    }

    /** Buffers larger than a chunk are mapped and unmapped each time. */
    @Test
    void chunksAreAllocatedAndReleasedConcurrently() throws Exception {
        LiveRanges ranges = new LiveRanges();
        for (int round = 0; round < ROUNDS; round++) {
            new Race(random)
                    .with(owner, largeOnes(ranges))
                    .with(loop, largeOnes(ranges))
                    .with(plain, largeOnes(ranges))
                    .run();
            checkNothingIsInUse(round);
        }
        checkNothingIsCommitted(ROUNDS);
    }

    private Runnable largeOnes(LiveRanges ranges) {
        int[] sizes = random.ints(10, CHUNK + 1, 4 * CHUNK).toArray();
        return () -> {
            for (int size : sizes) {
                ByteBuf buffer = allocator.directBuffer(size);
                ranges.add(buffer);
                ranges.remove(buffer);
                buffer.release();
            }
        };
    }

    private Batch batch() {
        return new Batch(1 + random.nextInt(MOST_BUFFERS));
    }

    private int bytes() {
        return 1 + random.nextInt(64 << random.nextInt(9));
    }

    private void checkNothingIsInUse(int round) {
        assertThat(allocator.metric().inUseBytes()).as("seed %s, round %d: bytes in use", seed, round).isZero();
    }

    private void checkNothingIsCommitted(int round) {
        allocator.trim();
        assertThat(allocator.metric().committedBytes()).as("seed %s, round %d: committed bytes", seed, round).isZero();
    }

    /** Buffers that are in use at the same time, stamped. */
    private final class Batch {

        private final List<ByteBuf> buffers = new ArrayList<>();
        private final int count;
        private final long stamp = ++stamps << 24;

        Batch(int count) {
            this.count = count;
        }

        void allocate(int bytes) {
            for (int i = 0; i < count; i++) {
                ByteBuf buffer = allocator.directBuffer(bytes);
                buffers.add(buffer);
                Stamp.write(buffer, stamp + i * 0x1_0000L);
            }
        }

        void release() {
            for (int i = 0; i < count; i++) {
                ByteBuf buffer = buffers.get(i);
                Stamp.check(buffer, buffer.capacity(), stamp + i * 0x1_0000L);
                buffer.release();
            }
        }

        /** Releases without checking the content, so that more releases fall into the critical moment. */
        void releaseAtOnce() {
            buffers.forEach(ByteBuf::release);
        }
    }
}
