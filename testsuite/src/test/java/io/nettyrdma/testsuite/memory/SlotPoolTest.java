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

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.buffer.TransportMemory;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestLoop;
import io.nettyrdma.verbs.ProtectionDomain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Slots in registered memory. The test's thread is the loop. */
@Tag("device")
@OneProcess("it has no peer")
class SlotPoolTest {

    private static final int SIZE = 100;
    /** The memory that a slot takes in a slab, so that no two slots share a cache line. */
    private static final int STRIDE = 128;
    private static final int PER_SLAB = 8;
    /** The least that Netty takes. */
    private static final int FEW_TASKS = 16;

    private final Random random = Seeds.newRandom();
    private final TestLoop loop = new TestLoop();
    private final Closer closer = new Closer();
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
    private final Set<Integer> out = new HashSet<>();
    private RegistrationIndex index;
    private SlotPool pool;

    @BeforeEach
    void open() throws IOException {
        ProtectionDomain domain = closer.add(TestDevice.get().device().createProtectionDomain());
        index = closer.add(RegistrationIndex.of(allocator, domain));
        pool = closer.add(new SlotPool(allocator, index, loop, SIZE, 0, PER_SLAB));
    }

    /** Returns the slots that the test still holds; otherwise they would keep their slabs. */
    @AfterEach
    void close() throws IOException {
        out.forEach(pool::give);
        closer.close();
        assertThat(allocator.metric().inUseBytes()).isZero();
    }

    @Test
    void poolGrowsByASlab() throws Exception {
        assertThat(pool.bytes()).isZero();
        for (int i = 0; i < 3 * PER_SLAB; i++) {
            int slot = take();
            assertThat(slot).as("the lowest number of a new slab").isEqualTo(i);
            assertThat(pool.inUse()).isEqualTo(i + 1);
            assertThat(pool.bytes()).isEqualTo((1L + i / PER_SLAB) * PER_SLAB * STRIDE);
        }
    }

    /** {@code io.netty.eventLoop.maxPendingTasks} bounds the queue. */
    @Test
    void foreignReleaseSucceedsWhenTheLoopRejectsTasks() throws Exception {
        DefaultEventExecutor bounded = new DefaultEventExecutor(null, new DefaultThreadFactory("bounded"), FEW_TASKS,
                RejectedExecutionHandlers.reject());
        CountDownLatch end = new CountDownLatch(1);
        SlotPool slots = new SlotPool(allocator, index, bounded, SIZE, 0, PER_SLAB);
        try {
            int slot = bounded.submit(() -> slots.take(0)).get();
            bounded.execute(() -> await(end));
            assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> {
                for (int i = 0; i <= FEW_TASKS; i++) {
                    bounded.execute(() -> { });
                }
            });
            slots.give(slot);
            end.countDown();
            Deadline.standard().until("the tasks to be run", () -> bounded.pendingTasks() == 0);
            Deadline.standard().until("the slot", () -> bounded.submit(slots::inUse).get() == 0);
            bounded.submit(slots::close).sync();
        } finally {
            end.countDown();
            bounded.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Slots of other threads count, too; free slots are no growth. */
    @Test
    void poolTakesOnlyTheShareOfTheTransport() throws Exception {
        TransportMemory memory = TransportMemory.of(allocator);
        long slab = PER_SLAB * STRIDE;
        long most = allocator.metric().maxRegisteredBytes();
        out.add(pool.takeIfAny(0));
        assertThat(memory.bytes()).isEqualTo(slab);
        memory.takeRequired(most / 8 * 3 - slab);
        for (int i = 1; i < PER_SLAB; i++) {
            assertThat(out.add(pool.takeIfAny(0))).isTrue();
        }
        assertThat(pool.takeIfAny(0)).as("it would grow").isEqualTo(SlotPool.NONE);
        assertThat(take()).as("what a connection needs").isEqualTo(PER_SLAB);
        assertThat(pool.takeIfPlenty(0)).as("slots are free, and others need them").isEqualTo(SlotPool.NONE);
        assertThat(pool.takeIfAny(0)).as("for a moment").isEqualTo(PER_SLAB + 1).satisfies(out::add);
        memory.takeRequired(most / 8 - slab);
        List<Integer> rest = take(PER_SLAB - 2);
        assertThatIOException().isThrownBy(() -> pool.take(0))
                .withMessageContaining("the other half is the application's")
                .withCauseInstanceOf(OutOfRegisteredMemoryError.class);
        memory.give(most / 2 - 2 * slab);
        assertThat(pool.takeIfPlenty(0)).isNotEqualTo(SlotPool.NONE).satisfies(out::add);
        rest.forEach(this::give);
        List.copyOf(out).forEach(this::give);
        pool.close();
        assertThat(memory.bytes()).isZero();
    }

    @Test
    void failedAllocationIsNotCounted() throws Exception {
        SoftHca.assumeItIsTheDevice();
        SoftHca.faults(1, "register=1");
        try {
            assertThatIOException().isThrownBy(() -> pool.take(0));
            assertThat(pool.takeIfAny(0)).isEqualTo(SlotPool.NONE);
            assertThat(TransportMemory.of(allocator).bytes()).isZero();
        } finally {
            SoftHca.noFaults();
        }
        int refusals = 0;
        for (int slot = pool.takeIfAny(0); slot == SlotPool.NONE; slot = pool.takeIfAny(0)) {
            assertThat(refusals++).as("it is tried again").isLessThan(1_000);
        }
        out.add(0);
    }

    @Test
    void emptySlabsAreReleasedExceptOne() throws Exception {
        List<Integer> slots = take(3 * PER_SLAB);
        long inUse = allocator.metric().inUseBytes();
        Collections.shuffle(slots, random);
        slots.forEach(this::give);
        assertThat(pool.inUse()).isZero();
        assertThat(pool.bytes()).as("one slab").isEqualTo(PER_SLAB * STRIDE);
        assertThat(allocator.metric().inUseBytes()).isEqualTo(inUse / 3);
        assertThat(take(1)).as("of the slab that was kept").allMatch(slot -> slot < PER_SLAB);
        assertThat(pool.bytes()).isEqualTo(PER_SLAB * STRIDE);
    }

    /** The loop has a clock, which the test sets. */
    @Test
    void emptySlabsStayForTheNextBurst() throws Exception {
        EmbeddedChannel clock = new EmbeddedChannel();
        SlotPool slots = closer.add(new SlotPool(allocator, index, clock.eventLoop(), SIZE, 0, PER_SLAB));
        burst(slots, 4 * PER_SLAB);
        assertThat(slots.bytes()).as("slabs of the burst").isEqualTo(4L * PER_SLAB * STRIDE);
        advance(clock);
        assertThat(slots.bytes()).as("they were needed in this second").isEqualTo(4L * PER_SLAB * STRIDE);
        burst(slots, 3 * PER_SLAB);
        advance(clock);
        assertThat(slots.bytes()).as("one was not needed").isEqualTo(3L * PER_SLAB * STRIDE);
        advance(clock);
        assertThat(slots.bytes()).as("one stays").isEqualTo((long) PER_SLAB * STRIDE);
        burst(slots, 2 * PER_SLAB);
        slots.close();
        assertThat(slots.bytes()).isZero();
        advance(clock);
        clock.close();
    }

    @Test
    void emptySlabsAreReleasedWithoutPlentyOfMemory() throws Exception {
        EmbeddedChannel clock = new EmbeddedChannel();
        SlotPool slots = closer.add(new SlotPool(allocator, index, clock.eventLoop(), SIZE, 0, PER_SLAB));
        TransportMemory memory = TransportMemory.of(allocator);
        long others = allocator.metric().maxRegisteredBytes() / 2 - 3L * PER_SLAB * STRIDE;
        memory.takeRequired(others);
        burst(slots, 3 * PER_SLAB);
        assertThat(slots.bytes()).isEqualTo((long) PER_SLAB * STRIDE);
        memory.give(others);
        clock.close();
    }

    private static void burst(SlotPool slots, int count) throws IOException {
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(slots.take(0));
        }
        taken.forEach(slots::give);
    }

    private static void advance(EmbeddedChannel clock) {
        clock.advanceTimeBy(1, TimeUnit.SECONDS);
        clock.runScheduledPendingTasks();
    }

    @Test
    void newSlabReusesTheIndexOfAReleasedSlab() throws Exception {
        List<Integer> slots = take(3 * PER_SLAB);
        slots.subList(0, 2 * PER_SLAB).forEach(this::give);
        assertThat(pool.bytes()).isEqualTo(2L * PER_SLAB * STRIDE);
        assertThat(new HashSet<>(take(2 * PER_SLAB))).as("numbers stay small")
                .isEqualTo(new HashSet<>(slots.subList(0, 2 * PER_SLAB)));
        assertThat(pool.inUse()).isEqualTo(3 * PER_SLAB);
    }

    /** Long-lived slots are packed together, so that slabs that were needed only once become empty. */
    @Test
    void longUsedSlotsMoveIntoFewSlabs() throws Exception {
        List<Integer> slots = take(8 * PER_SLAB);
        Collections.shuffle(slots, random);
        List<Integer> used = new ArrayList<>(slots.subList(0, PER_SLAB + 1));
        slots.subList(PER_SLAB + 1, slots.size()).forEach(this::give);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < used.size(); i++) {
                out.remove(used.get(i));
                used.set(i, compacted(used.get(i)));
                assertThat(out.add(used.get(i))).as("slot %d has no owner", used.get(i)).isTrue();
            }
        }
        assertThat(pool.inUse()).isEqualTo(used.size());
        assertThat(pool.bytes()).as("of eight slabs").isLessThanOrEqualTo(4L * PER_SLAB * STRIDE);
    }

    @Test
    void slotMovesOnlyWhileMoreThanAnEighthIsFree() throws Exception {
        List<Integer> slots = take(8 * PER_SLAB);
        int highest = slots.get(slots.size() - 1);
        slots.subList(0, PER_SLAB).forEach(this::give);
        assertThat(compacted(highest)).isEqualTo(highest);
        give(slots.get(PER_SLAB));
        out.remove(highest);
        int moved = compacted(highest);
        out.add(moved);
        assertThat(moved).as("in the lowest slab").isLessThan(PER_SLAB);
    }

    @Test
    void aSlotStaysIfNoLowerSlabHasRoom() throws Exception {
        List<Integer> slots = take(3 * PER_SLAB);
        slots.subList(PER_SLAB + 1, slots.size()).forEach(this::give);
        assertThat(compacted(slots.get(0))).as("room is in a higher slab").isEqualTo(slots.get(0));
        assertThat(compacted(slots.get(PER_SLAB))).as("room is in its own slab").isEqualTo(slots.get(PER_SLAB));
    }

    private int compacted(int slot) {
        int[] slots = { slot };
        pool.compact(slots, 1);
        return slots[0];
    }

    @Test
    void slotOfWholeCacheLinesHasNoPadding() throws Exception {
        try (SlotPool whole = new SlotPool(allocator, index, loop, STRIDE, 0, PER_SLAB)) {
            whole.give(whole.take(0));
            assertThat(whole.bytes()).isEqualTo(PER_SLAB * STRIDE);
        }
    }

    @Test
    void theLowestSlabIsUsedFirst() throws Exception {
        List<Integer> slots = take(3 * PER_SLAB);
        give(slots.get(2 * PER_SLAB));
        give(slots.get(1));
        assertThat(take(2)).containsExactly(slots.get(1), slots.get(2 * PER_SLAB));
    }

    @Test
    void slotsDoNotOverlap() throws Exception {
        List<Integer> slots = new ArrayList<>();
        Set<Long> lines = new HashSet<>();
        for (int i = 0; i < 3 * PER_SLAB; i++) {
            int slot = take();
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
    void releaseOfAFreeSlotIsRefused() throws Exception {
        int slot = take();
        give(slot);
        assertThatIllegalStateException().isThrownBy(() -> pool.give(slot))
                .withMessageContaining("slot " + slot + " was given back before");
        assertThatIllegalStateException().isThrownBy(() -> pool.give(slot + 1));
        assertThat(pool.inUse()).isZero();
    }

    /** Detected when the loop takes the slot back. */
    @Test
    void doubleReleaseByAnotherThreadIsDetected() throws Exception {
        int slot = take();
        elsewhere(() -> give(slot));
        loop.run();
        elsewhere(() -> give(slot));
        assertThatIllegalStateException().isThrownBy(loop::run)
                .withMessageContaining("slot " + slot + " was given back before");
    }

    @Test
    void slotsOfOtherThreadsReturnByTaskOrTake() throws Exception {
        for (int i = 0; i < PER_SLAB; i++) {
            take();
        }
        elsewhere(() -> give(2));
        elsewhere(() -> give(5));
        assertThat(pool.inUse()).as("not yet the loop's").isEqualTo(PER_SLAB);
        assertThat(loop.run()).isTrue();
        assertThat(loop.run()).as("one task for both").isFalse();
        assertThat(pool.inUse()).isEqualTo(PER_SLAB - 2);
        take();
        take();
        elsewhere(() -> give(3));
        assertThat(take()).as("rather than to grow").isEqualTo(3);
        assertThat(pool.bytes()).isEqualTo(PER_SLAB * STRIDE);
        loop.run();
        assertThat(pool.inUse()).isEqualTo(PER_SLAB);
    }

    /** Three threads return slots while the loop takes them: no slot has two owners, and none is lost. */
    @Test
    void manyThreadsReleaseSlots() throws Exception {
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
            int slot = pool.take(0);
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
    void eachSlotHasTheKeyOfItsMemory() throws Exception {
        for (int slot : take(5 * PER_SLAB)) {
            assertThat(index.localKey(pool.address(slot), SIZE)).isEqualTo(Integer.toUnsignedLong(pool.localKey(slot)));
        }
    }

    /** A slot that is in use returns to a closed pool: on the loop or, once the loop has ended, on another thread. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void lastSlotOfAClosedPoolReleasesTheMemory(boolean loopHasEnded) throws Exception {
        List<Integer> slots = take(PER_SLAB + 2);
        slots.subList(0, PER_SLAB - 1).forEach(this::give);
        pool.close();
        pool.close();
        assertThat(pool.bytes()).isEqualTo(2L * PER_SLAB * STRIDE);
        if (loopHasEnded) {
            loop.end();
        }
        for (int slot : slots.subList(PER_SLAB - 1, slots.size())) {
            pool.buffer(slot).put(pool.offset(slot), (byte) 1);
            elsewhere(() -> give(slot));
        }
        assertThat(loop.run()).isNotEqualTo(loopHasEnded);
        assertThat(pool.inUse()).isZero();
        assertThat(pool.bytes()).isZero();
        assertThat(allocator.metric().inUseBytes()).isZero();
        assertThatIllegalStateException().isThrownBy(() -> pool.take(0)).withMessageContaining("is closed");
    }

    /** A slot that is returned while the loop ends is found by the loop or by the returning thread. */
    @Test
    void slotsAreReleasedWhileTheLoopEnds() throws Exception {
        for (int round = 0; round < 2_000; round++) {
            TestLoop ending = new TestLoop();
            SlotPool last = new SlotPool(allocator, index, ending, SIZE, 0, PER_SLAB);
            int first = last.take(0);
            int second = last.take(0);
            CompletableFuture<Void> giver = CompletableFuture.runAsync(() -> {
                last.give(first);
                last.give(second);
            });
            while (ending.run()) {
                // Runs some tasks before the end.
            }
            ending.end();
            last.close();
            giver.get();
            assertThat(last.inUse()).as("round %d", round).isZero();
            assertThat(last.bytes()).as("round %d", round).isZero();
        }
        assertThat(allocator.metric().inUseBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({ "0, 1", "-1, 1", "1, 0", "1, -1" })
    void emptyPoolIsRefused(int size, int slots) {
        assertThatIllegalArgumentException().isThrownBy(() -> new SlotPool(allocator, index, loop, size, 0, slots))
                .withMessage("a pool of " + size + " bytes times " + slots);
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, SIZE })
    void aSlotHasRoomForAPayload(int headerRoom) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SlotPool(allocator, index, loop, SIZE, headerRoom, PER_SLAB))
                .withMessage(headerRoom + " bytes of header in a slot of " + SIZE);
    }

    private List<Integer> take(int count) throws IOException {
        List<Integer> slots = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            slots.add(take());
        }
        return slots;
    }

    private int take() throws IOException {
        int slot = pool.take(0);
        assertThat(out.add(slot)).as("slot %d has no owner", slot).isTrue();
        return slot;
    }

    private void give(int slot) {
        out.remove(slot);
        pool.give(slot);
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
