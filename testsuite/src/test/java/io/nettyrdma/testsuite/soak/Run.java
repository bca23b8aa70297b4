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
package io.nettyrdma.testsuite.soak;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.program.Progress;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The soak in one process: what its connections share from start to verdict. Any thread. */
final class Run {

    private static final int TICK_SECONDS = 1;
    private static final int TICKS_OF_LINE = 10;

    private final SoakOptions options;
    private final Verdict verdict = new Verdict(this::stop);
    private final Totals totals = new Totals();
    private final Keeper keeper = new Keeper(verdict);
    private final Journal journal = new Journal(totals);
    private final StallWatch stalls = new StallWatch();
    private final Set<End> live = ConcurrentHashMap.newKeySet();
    private final CountDownLatch stop = new CountDownLatch(1);

    Run(SoakOptions options) {
        this.options = options;
        LogWatch.install(verdict);
    }

    SoakOptions options() {
        return options;
    }

    Verdict verdict() {
        return verdict;
    }

    Totals totals() {
        return totals;
    }

    Keeper keeper() {
        return keeper;
    }

    void begins(End end) {
        live.add(end);
    }

    void ended(End end) {
        live.remove(end);
    }

    /** Ends the run: connections finish what they have begun and end, and no new ones are made. */
    void stop() {
        stop.countDown();
    }

    boolean isStopping() {
        return stop.getCount() == 0;
    }

    boolean hasFailed() {
        return verdict.failures() > 0;
    }

    /** Runs until it is to stop. */
    void goOn() throws InterruptedException, IOException {
        goOn(null);
    }

    /** @param progress the line on the terminal; {@code null} for none. */
    void goOn(Progress progress) throws InterruptedException, IOException {
        long end = System.nanoTime() + options.duration().toNanos();
        for (int ticks = 1; !stop.await(TICK_SECONDS, TimeUnit.SECONDS); ticks++) {
            journal.sample();
            if (progress != null && options.messages() < Long.MAX_VALUE) {
                progress.done(totals.messages.sum(), options.messages());
            }
            if (ticks % TICKS_OF_LINE == 0) {
                journal.printLine();
            }
            if (stalls.look(live, verdict) || System.nanoTime() - end >= 0
                    || totals.messages.sum() >= options.messages()) {
                stop();
            }
        }
    }

    /** Waits until everything that was in flight has ended, or is stalled. */
    void drain() throws InterruptedException {
        while ((!live.isEmpty() || keeper.kept() > 0) && !stalls.look(live, verdict)) {
            TimeUnit.SECONDS.sleep(TICK_SECONDS);
        }
    }

    /** Called when the loops have ended. */
    boolean report() {
        lookForLeaks();
        journal.printReport(verdict);
        boolean passed = !hasFailed();
        System.out.println(passed ? "PASSED" : "FAILED: " + verdict.failures() + " failures");
        return passed;
    }

    private void lookForLeaks() {
        RdmaByteBufAllocatorMetric memory = RdmaByteBufAllocator.DEFAULT.metric();
        if (memory.inUseBytes() > 0 || memory.usedHeapMemory() > 0) {
            verdict.failed("LEAKED: buffers that were not released, " + memory.inUseBytes()
                    + " bytes that were registered and " + memory.usedHeapMemory() + " bytes on the heap");
        }
        System.gc();
        // The leak detector reports when the next tracked buffer is created.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        for (ByteBufAllocator allocator : new ByteBufAllocator[] { RdmaByteBufAllocator.DEFAULT,
            ByteBufAllocator.DEFAULT }) {
            allocator.directBuffer().release();
        }
    }
}
