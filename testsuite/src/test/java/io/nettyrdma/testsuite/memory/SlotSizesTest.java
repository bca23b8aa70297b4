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

import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.buffer.TransportMemory;
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

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/** A pool of slots of several sizes. The test's thread is the loop. */
@Tag("device")
@OneProcess("it has no peer")
class SlotSizesTest {

    private static final int[] SIZES = { 100, 1000, 5000 };
    private static final int[] STRIDES = { 128, 1024, 5056 };
    private static final int SLAB = 4096;
    private static final int[] PER_SLAB = { 32, 4, 1 };
    private static final int STEPS = 5_000;

    private final Random random = Seeds.newRandom();
    private final TestLoop loop = new TestLoop();
    private final Closer closer = new Closer();
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().build();
    private SlotPool pool;

    @BeforeEach
    void open() throws IOException {
        ProtectionDomain domain = closer.add(TestDevice.get().device().createProtectionDomain());
        RegistrationIndex index = closer.add(RegistrationIndex.of(allocator, domain));
        pool = closer.add(new SlotPool(allocator, index, loop, SIZES, 16, SLAB));
    }

    @AfterEach
    void close() throws IOException {
        closer.close();
        assertThat(allocator.metric().inUseBytes()).isZero();
    }

    @Test
    void sizeForBytesIsTheSmallestThatIsLongEnough() {
        assertThat(pool.sizeFor(1)).isZero();
        assertThat(pool.sizeFor(100)).isZero();
        assertThat(pool.sizeFor(101)).isEqualTo(1);
        assertThat(pool.sizeFor(1001)).isEqualTo(2);
        assertThat(pool.sizeFor(5001)).as("the largest").isEqualTo(2);
        assertThat(pool.slotSize()).as("the largest").isEqualTo(5000);
    }

    /** The model has the bytes of each slot that is taken. */
    @Test
    void slotsOfAllSizesAreApart() throws Exception {
        Map<Integer, Integer> taken = new HashMap<>();
        List<Integer> order = new ArrayList<>();
        int[] inUse = new int[SIZES.length];
        for (int step = 0; step < STEPS; step++) {
            if (order.isEmpty() || random.nextInt(100) < (step / 1000 % 2 == 0 ? 70 : 30)) {
                int size = random.nextInt(SIZES.length);
                int slot = random.nextBoolean() ? pool.take(size) : pool.takeIfAny(size);
                assertThat(taken.put(slot, size)).as("slot %d was free", slot).isNull();
                assertThat(pool.slotSize(slot)).isEqualTo(SIZES[size]);
                assertThat(pool.isSmallest(slot)).isEqualTo(size == 0);
                fill(slot, size);
                order.add(slot);
                inUse[size]++;
            } else {
                int slot = order.remove(random.nextInt(order.size()));
                int size = taken.remove(slot);
                assertFilled(slot, size);
                pool.give(slot);
                inUse[size]--;
            }
            assertThat(pool.inUse()).isEqualTo(taken.size());
        }
        order.forEach(pool::give);
        long spare = 0;
        for (int size = 0; size < SIZES.length; size++) {
            spare += (long) PER_SLAB[size] * STRIDES[size];
        }
        assertThat(pool.bytes()).as("a slab of each size is kept").isEqualTo(spare);
        assertThat(TransportMemory.of(allocator).bytes()).isEqualTo(spare);
    }

    private void fill(int slot, int size) {
        for (int i = 0; i < SIZES[size]; i += 32) {
            pool.buffer(slot).put(pool.offset(slot) + i, (byte) slot);
        }
        pool.buffer(slot).put(pool.offset(slot) + SIZES[size] - 1, (byte) slot);
    }

    private void assertFilled(int slot, int size) {
        for (int i = 0; i < SIZES[size]; i += 32) {
            assertThat(pool.buffer(slot).get(pool.offset(slot) + i)).as("slot %d", slot).isEqualTo((byte) slot);
        }
        assertThat(pool.buffer(slot).get(pool.offset(slot) + SIZES[size] - 1)).isEqualTo((byte) slot);
    }

    @Test
    void buffersHaveTheRoomOfTheirSlots() throws Exception {
        for (int size = 0; size < SIZES.length; size++) {
            int slot = pool.take(size);
            assertThat(pool.received(slot).receivedBytes()).isEqualTo(SIZES[size] - 16);
            pool.give(slot);
        }
    }

    @Test
    void slotsOfASizeMoveToLowerSlabsOfThatSize() throws Exception {
        List<Integer> small = new ArrayList<>();
        List<Integer> middle = new ArrayList<>();
        for (int i = 0; i < 4 * PER_SLAB[1]; i++) {
            small.add(pool.take(0));
            middle.add(pool.take(1));
        }
        int highest = middle.remove(middle.size() - 1);
        middle.subList(1, middle.size()).forEach(pool::give);
        int[] moved = { highest };
        pool.compact(moved, 1);
        assertThat(moved[0]).as("the first slab of its size").isNotEqualTo(highest);
        assertThat(pool.slotSize(moved[0])).isEqualTo(SIZES[1]);
        pool.give(moved[0]);
        pool.give(middle.get(0));
        small.forEach(pool::give);
    }
}
