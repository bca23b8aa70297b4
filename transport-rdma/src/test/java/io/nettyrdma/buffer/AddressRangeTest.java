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

import io.nettyrdma.jni.MemoryNative;
import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

import static org.assertj.core.api.Assertions.assertThat;

class AddressRangeTest {

    @RegisterExtension
    final Seed seed = new Seed();

    private static final int UNIT = 1 << 20;
    private static final int UNITS = 50;

    private final AddressRange range = new AddressRange((UNITS - 1) * (long) UNIT + 1, UNIT);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() throws InterruptedException {
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void rangeConsistsOfWholeUnits() {
        assertThat(range.units()).isEqualTo(UNITS);
        assertThat(range.bytes()).isEqualTo(UNITS * (long) UNIT);
        assertThat(range.base() % UNIT).isZero();
        assertThat(range.address(3)).isEqualTo(range.base() + 3 * UNIT);
    }

    @Test
    void takeUsesTheFirstGapThatIsLargeEnough() {
        assertThat(range.take(1)).isZero();
        assertThat(range.take(2)).isEqualTo(1);
        assertThat(range.take(1)).isEqualTo(3);
        range.give(1, 2);
        assertThat(range.take(3)).isEqualTo(4);
        assertThat(range.take(2)).isEqualTo(1);
        assertThat(range.take(UNITS - 6)).isEqualTo(-1);
        assertThat(range.take(UNITS - 7)).isEqualTo(7);
        assertThat(range.take(1)).isEqualTo(-1);
    }

    /** Another mapping may be there. */
    @Test
    void lostUnitsAreNotReleased() {
        int units = 8;
        long bytes = units * (long) UNIT;
        long start = MemoryNative.reserve(bytes, HugePages.BYTES);
        Reservation reservation = new Reservation(range, start, units, Integer.numberOfTrailingZeros(UNIT));
        reservation.lose(2, 1);
        reservation.lose(5, 2);
        for (int unit = -1; unit <= units; unit++) {
            assertThat(Reservation.isInAny(start + unit * (long) UNIT)).as("unit %d", unit)
                    .isEqualTo(unit >= 0 && unit < units && !isLost(unit));
        }
        assertThat(Reservation.isInAny(start + bytes - 1)).isTrue();
        reservation.release();
        for (int unit = 0; unit < units; unit++) {
            // Another thread of the test's JVM may map this range again.
            if (isLost(unit)) {
                assertThat(MemoryNative.commit(start + unit * (long) UNIT, UNIT, 0)).as("unit %d", unit).isZero();
                MemoryNative.release(start + unit * (long) UNIT, UNIT);
            }
        }
        assertThat(Reservation.isInAny(start)).isFalse();
    }

    @Test
    void unreachableRangeIsReleased() {
        long base = new AddressRange(UNIT, UNIT).base();
        assertThat(Reservation.isInAny(base)).isTrue();
        long start = System.nanoTime();
        while (Reservation.isInAny(base)) {
            assertThat(System.nanoTime() - start).as("nanoseconds").isLessThan(TimeUnit.SECONDS.toNanos(30));
            System.gc();
            Reservation.releaseUnreachable();
        }
    }

    private static boolean isLost(int unit) {
        return unit == 2 || unit == 5 || unit == 6;
    }

    @Test
    void lostUnitsAreNotTakenAgain() {
        assertThat(range.take(3)).isZero();
        range.lose(1, 2);
        range.give(0, 1);
        assertThat(range.take(1)).isZero();
        assertThat(range.take(1)).isEqualTo(3);
        assertThat(Reservation.isInAny(range.address(1))).isFalse();
        assertThat(Reservation.isInAny(range.address(3))).isTrue();
    }

    @Test
    void concurrentThreadsTakeDifferentUnits() throws Exception {
        AtomicIntegerArray holders = new AtomicIntegerArray(UNITS);
        Random random = seed.newRandom();
        for (int round = 0; round < 20; round++) {
            new Race(random)
                    .with(threads, () -> takeAndGive(holders, 3))
                    .with(threads, () -> takeAndGive(holders, 5))
                    .run();
            assertThat(range.take(UNITS)).as("units that are free again, seed %s, round %d", seed, round).isZero();
            range.give(0, UNITS);
        }
    }

    private void takeAndGive(AtomicIntegerArray holders, int count) {
        for (int i = 0; i < 5000; i++) {
            int first = range.take(count);
            for (int unit = first; unit < first + count; unit++) {
                if (holders.incrementAndGet(unit) != 1) {
                    throw new AssertionError("unit " + unit + " is taken twice");
                }
                holders.decrementAndGet(unit);
            }
            range.give(first, count);
        }
    }
}
