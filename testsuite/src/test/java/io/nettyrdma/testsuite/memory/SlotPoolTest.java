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
package io.nettyrdma.testsuite.memory;

import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestLoop;
import io.nettyrdma.verbs.ProtectionDomain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Slots in memory that the device knows. The test's thread is the loop. */
@Tag("device")
@OneProcess("it has no peer")
class SlotPoolTest {

    private static final int SIZE = 100;
    /** What a slot takes of a slab: no two share a cache line. */
    private static final int STRIDE = 128;
    private static final int PER_SLAB = 8;

    private final Random random = Seeds.newRandom();
    private final TestLoop loop = new TestLoop();
    private final Closer closer = new Closer();
    private ProtectionDomain domain;
    private SlotPool pool;

    @BeforeEach
    void open() throws IOException {
        domain = closer.add(TestDevice.get().device().createProtectionDomain());
        pool = closer.add(new SlotPool(domain, loop, SIZE, PER_SLAB));
    }

    @AfterEach
    void close() throws IOException {
        closer.close();
    }

    @Test
    void growsByASlabWhenNoneIsLeft() throws Exception {
        assertThat(pool.registeredBytes()).isZero();
        for (int i = 0; i < 3 * PER_SLAB; i++) {
            int slot = pool.take();
            assertThat(slot).as("the lowest number of a new slab").isEqualTo(i);
            assertThat(pool.inUse()).isEqualTo(i + 1);
            assertThat(pool.registeredBytes()).isEqualTo((1L + i / PER_SLAB) * PER_SLAB * STRIDE);
        }
        for (int i = 0; i < 3 * PER_SLAB; i++) {
            pool.give(i);
        }
        assertThat(pool.inUse()).isZero();
        assertThat(pool.take()).as("the one that is still in the cache").isEqualTo(3 * PER_SLAB - 1);
        assertThat(pool.registeredBytes()).as("it does not shrink").isEqualTo(3L * PER_SLAB * STRIDE);
    }

    @Test
    void slotsHaveMemoryOfTheirOwn() throws Exception {
        List<Integer> slots = new ArrayList<>();
        Set<Long> lines = new HashSet<>();
        for (int i = 0; i < 3 * PER_SLAB; i++) {
            int slot = pool.take();
            slots.add(slot);
            assertThat(pool.address(slot) % 64).as("begins a cache line").isZero();
            for (long at = pool.address(slot) / 64; at <= (pool.address(slot) + SIZE - 1) / 64; at++) {
                assertThat(lines.add(at)).as("cache line %d", at).isTrue();
            }
            for (int at = 0; at < SIZE; at++) {
                pool.buffer(slot).put(pool.offset(slot) + at, (byte) slot);
            }
        }
        Collections.shuffle(slots, random);
        for (int slot : slots) {
            for (int at = 0; at < SIZE; at++) {
                assertThat(pool.buffer(slot).get(pool.offset(slot) + at)).isEqualTo((byte) slot);
            }
        }
    }

    @Test
    void aSlotThatIsFreeCannotBeGiven() throws Exception {
        int slot = pool.take();
        pool.give(slot);
        assertThatIllegalStateException().isThrownBy(() -> pool.give(slot))
                .withMessageContaining("slot " + slot + " was given back before");
        assertThatIllegalStateException().isThrownBy(() -> pool.give(slot + 1));
        assertThat(pool.inUse()).isZero();
    }

    /** It is found out when the loop takes it back. */
    @Test
    void aSlotThatAnotherThreadGivesAgainIsFoundOut() throws Exception {
        int slot = pool.take();
        elsewhere(() -> pool.give(slot));
        loop.run();
        elsewhere(() -> pool.give(slot));
        assertThatIllegalStateException().isThrownBy(loop::run)
                .withMessageContaining("slot " + slot + " was given back before");
    }

    @Test
    void whatOtherThreadsGiveComesBackByATaskOrByTake() throws Exception {
        for (int i = 0; i < PER_SLAB; i++) {
            pool.take();
        }
        elsewhere(() -> pool.give(2));
        elsewhere(() -> pool.give(5));
        assertThat(pool.inUse()).as("not yet the loop's").isEqualTo(PER_SLAB);
        assertThat(loop.run()).isTrue();
        assertThat(loop.run()).as("one task for both").isFalse();
        assertThat(pool.inUse()).isEqualTo(PER_SLAB - 2);
        pool.take();
        pool.take();
        elsewhere(() -> pool.give(3));
        assertThat(pool.take()).as("rather than to grow").isEqualTo(3);
        assertThat(pool.registeredBytes()).isEqualTo(PER_SLAB * STRIDE);
        loop.run();
        assertThat(pool.inUse()).isEqualTo(PER_SLAB);
    }

    /** While three threads give, the loop takes: no slot has two owners, and none gets lost. */
    @Test
    void manyThreadsGive() throws Exception {
        int count = 20_000;
        BlockingQueue<Integer> handed = new ArrayBlockingQueue<>(4 * PER_SLAB);
        List<CompletableFuture<Void>> givers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            givers.add(CompletableFuture.runAsync(() -> {
                for (int slot = take(handed); slot >= 0; slot = take(handed)) {
                    pool.buffer(slot).putInt(pool.offset(slot), 0);
                    pool.give(slot);
                }
            }, task -> new Thread(task).start()));
        }
        Deque<Integer> own = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            int slot = pool.take();
            assertThat(pool.buffer(slot).getInt(pool.offset(slot))).as("slot %d has no owner", slot).isZero();
            pool.buffer(slot).putInt(pool.offset(slot), -1);
            if (random.nextInt(4) == 0) {
                own.add(slot);
            } else {
                handed.put(slot);
            }
            if (own.size() > PER_SLAB) {
                int mine = own.remove();
                pool.buffer(mine).putInt(pool.offset(mine), 0);
                pool.give(mine);
            }
            if (random.nextInt(10) == 0) {
                loop.run();
            }
        }
        for (int i = 0; i < givers.size(); i++) {
            handed.put(-1);
        }
        CompletableFuture.allOf(givers.toArray(CompletableFuture[]::new)).get();
        own.forEach(pool::give);
        while (loop.run()) {
            // There may be as many tasks as times that the stack was empty.
        }
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void aKeyIsFoundForMemoryThatIsAllWithinASlab() throws Exception {
        for (int i = 0; i < 5 * PER_SLAB; i++) {
            pool.take();
        }
        List<Integer> slots = new ArrayList<>();
        for (int slot = 0; slot < 5 * PER_SLAB; slot++) {
            slots.add(slot);
        }
        Collections.shuffle(slots, random);
        for (int slot : slots) {
            long key = Integer.toUnsignedLong(pool.localKey(slot));
            assertThat(pool.localKey(pool.address(slot), SIZE)).isEqualTo(key);
            assertThat(pool.localKey(pool.address(slot) + SIZE - 1, 1)).isEqualTo(key);
            assertThat(pool.localKey(pool.address(slot) + 7, 0)).isEqualTo(key);
        }
    }

    @Test
    void noKeyIsFoundForOtherMemory() throws Exception {
        assertThat(pool.localKey(4096, 1)).as("of an empty pool").isEqualTo(RegisteredMemory.NOT_REGISTERED);
        int slot = pool.take();
        long begin = pool.address(slot);
        int length = PER_SLAB * STRIDE;
        assertThat(pool.localKey(begin, length)).isEqualTo(Integer.toUnsignedLong(pool.localKey(slot)));
        long[][] outside = { { begin - 1, 1 }, { begin - 1, 2 }, { begin + length, 1 }, { begin + length - 1, 2 },
                { begin, length + 1 }, { begin + 1, Integer.MAX_VALUE }, { 0, 1 }, { -1, 1 }, { Long.MIN_VALUE, 1 },
                { Long.MAX_VALUE, Integer.MAX_VALUE } };
        for (long[] each : outside) {
            assertThat(pool.localKey(each[0], (int) each[1])).as("%d bytes at %d, of %d at %d", each[1], each[0],
                    length, begin).isEqualTo(RegisteredMemory.NOT_REGISTERED);
        }
    }

    /** What is out comes back to a pool that does not register any more. */
    @Test
    void closingWithSlotsOutTakesTheMemoryFromTheDevice() throws Exception {
        int first = pool.take();
        int second = pool.take();
        pool.close();
        pool.close();
        assertThat(pool.registeredBytes()).isZero();
        assertThat(pool.localKey(pool.address(first), 1)).isEqualTo(RegisteredMemory.NOT_REGISTERED);
        pool.buffer(first).put(pool.offset(first), (byte) 1);
        pool.give(first);
        elsewhere(() -> pool.give(second));
        loop.run();
        assertThat(pool.inUse()).isZero();
        for (int i = 0; i < PER_SLAB; i++) {
            pool.take();
        }
        assertThatIllegalStateException().isThrownBy(pool::take).withMessageContaining("is closed");
    }

    @ParameterizedTest
    @CsvSource({ "0, 1", "-1, 1", "1, 0", "1, -1" })
    void aPoolOfNothingIsRefused(int size, int slots) {
        assertThatIllegalArgumentException().isThrownBy(() -> new SlotPool(domain, loop, size, slots))
                .withMessage("a pool of " + size + " bytes times " + slots);
    }

    private static int take(BlockingQueue<Integer> queue) {
        try {
            return queue.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void elsewhere(Runnable action) throws Exception {
        CompletableFuture.runAsync(action).get();
    }
}
