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
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Netty's leak detector reports forgotten buffers and no others. This works only if none of our objects refers to a
 * buffer that the application has.
 */
class LeakTest {

    private static final long PATIENCE_NANOS = 20_000_000_000L;
    /** If the detector tracks one buffer of 128, it tracks none of this many once in 10^13. */
    private static final int MANY = 4000;

    private LeakReports reports;

    @BeforeEach
    void listen() {
        reports = new LeakReports();
    }

    @AfterEach
    void ignore() {
        reports.close();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 100, 70_000, TestAllocator.CHUNK + 1 })
    void leakedBufferIsReported(int capacity) {
        forget(capacity, "forgotten, of " + capacity);
        awaitReport("forgotten, of " + capacity);
    }

    @Test
    void leakedViewIsReported() {
        forgetView("forgotten view");
        awaitReport("forgotten view");
    }

    /** The detector sees the buffer that was forgotten last no earlier than it could have seen the others. */
    @Test
    void noLeakIsReportedAfterTheLastRelease() {
        for (int i = 0; i < 100; i++) {
            releaseInSomeWay(i);
        }
        forget(64, "forgotten after the others");
        awaitReport("forgotten after the others");
        assertThat(reports.mentions("released")).as("%s", reports).isFalse();
    }

    /** A buffer object is reused, and each use is tracked separately. */
    @Test
    void leakReportNamesOnlyTheLastUse() {
        for (int i = 0; i < 10; i++) {
            TestAllocator.get().directBuffer(300).touch("released " + i).release();
        }
        forget(300, "forgotten at last");
        awaitReport("forgotten at last");
        assertThat(reports.mentions("released")).as("%s", reports).isFalse();
    }

    @ParameterizedTest
    // The first reports only where a buffer was allocated.
    @CsvSource({
            "SIMPLE,   RdmaByteBuf SimpleLeakAwareByteBuf,   LeakTest.forgetMany",
            "ADVANCED, AdvancedLeakAwareByteBuf RdmaByteBuf, forgotten at ADVANCED",
            "PARANOID, AdvancedLeakAwareByteBuf,             forgotten at PARANOID",
    })
    void leakDetectionLevelsTrackTheirShareOfBuffers(Level level, String kinds, String report) {
        ResourceLeakDetector.setLevel(level);
        assertThat(String.join(" ", forgetMany("forgotten at " + level))).isEqualTo(kinds);
        awaitReport(report);
    }

    @Test
    void disabledDetectionTracksNothing() {
        ResourceLeakDetector.setLevel(Level.DISABLED);
        assertThat(forgetMany("unseen")).containsExactly("RdmaByteBuf");
        ResourceLeakDetector.setLevel(Level.PARANOID);
        forget(64, "forgotten after those without tracking");
        awaitReport("forgotten after those without tracking");
        assertThat(reports.mentions("unseen")).as("%s", reports).isFalse();
    }

    // A forgotten buffer must not be reachable from a live frame, so each case has its own method.

    private static void forget(int capacity, String hint) {
        TestAllocator.get().directBuffer(capacity).touch(hint);
    }

    /** Returns their classes. */
    private static Set<String> forgetMany(String hint) {
        Set<String> kinds = new TreeSet<>();
        for (int i = 0; i < MANY; i++) {
            kinds.add(TestAllocator.get().directBuffer(64).touch(hint).getClass().getSimpleName());
        }
        return kinds;
    }

    private static void forgetView(String hint) {
        ByteBuf buffer = TestAllocator.get().directBuffer(100).writeLong(1);
        ByteBuf view = buffer.readRetainedSlice(8);
        buffer.release();
        view.touch(hint);
    }

    private static void releaseInSomeWay(int way) {
        ByteBuf buffer = TestAllocator.get().directBuffer(10 + way).writeLong(way).touch("released");
        switch (way % 5) {
            case 0 -> buffer.release();
            case 1 -> {
                buffer.retainedSlice().release();
                buffer.release();
            }
            case 2 -> buffer.capacity(1000 * way).release();
            case 3 -> {
                ByteBuf view = buffer.asReadOnly().retainedDuplicate();
                buffer.release();
                view.release();
            }
            default -> TestAllocator.get().compositeBuffer().addComponent(true, buffer).release();
        }
    }

    private void awaitReport(String hint) {
        long start = System.nanoTime();
        while (!reports.mentions(hint)) {
            assertThat(System.nanoTime() - start).as("no report of \"%s\", but %s", hint, reports)
                    .isLessThan(PATIENCE_NANOS);
            System.gc();
            // The detector checks when the next buffer is allocated.
            IntStream.range(0, 100).forEach(i -> TestAllocator.get().directBuffer(1).release());
        }
    }
}
