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

import io.nettyrdma.metrics.RdmaCounter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Prints the samples. Used by one thread. */
final class Journal {

    private static final double MIB = 1 << 20;

    private final Totals totals;
    private final List<Sample> samples = new ArrayList<>();
    /** The sample of the last line. */
    private Sample last;

    Journal(Totals totals) {
        this.totals = totals;
    }

    void sample() throws IOException {
        samples.add(Sample.take(totals));
    }

    void printLine() {
        Sample now = samples.get(samples.size() - 1);
        Sample since = last == null ? samples.get(0) : last;
        double seconds = seconds(since, now);
        System.out.printf(Locale.ROOT, "%6.0f s: %,d messages, %,d/s; %,.1f GiB, %,.1f MiB/s; %,d connections;"
                        + " MiB: %,.0f registered, %,.0f committed, %,.1f in use, %,.1f direct, %,.0f resident;"
                        + " %d descriptors, %d collections; %s%n",
                seconds(samples.get(0), now), now.messages(), Math.round((now.messages() - since.messages()) / seconds),
                now.bytes() / MIB / 1024, (now.bytes() - since.bytes()) / MIB / seconds, now.connections(),
                now.registered() / MIB, now.committed() / MIB, now.inUse() / MIB, now.direct() / MIB,
                now.resident() / MIB, now.descriptors(), now.collections(), totals.counters());
        last = now;
    }

    private static double seconds(Sample from, Sample to) {
        return Math.max(1e-3, (to.nanos() - from.nanos()) / (double) TimeUnit.SECONDS.toNanos(1));
    }

    void printReport(Verdict verdict) {
        if (samples.isEmpty()) {
            System.out.println("stopped before there was anything to report");
            return;
        }
        Sample end = samples.get(samples.size() - 1);
        double seconds = seconds(samples.get(0), end);
        System.out.printf(Locale.ROOT, "in %,.0f s: %,d messages, %,d remote operations, %,d bytes, every byte checked;"
                        + " %,d connections made, %,d half closed, %,d aborted; %,d pauses of readers%n", seconds,
                totals.messages.sum(), totals.operations.sum(), totals.bytes.sum(), totals.connections.sum(),
                totals.halfCloses.sum(), totals.aborts.sum(), totals.pauses.sum());
        System.out.printf(Locale.ROOT, "%,.0f messages/s, %,.1f MiB/s; %s%n", end.messages() / seconds,
                end.bytes() / MIB / seconds, totals.counters());
        if (totals.counters().containsKey(RdmaCounter.STALLS)) {
            verdict.failed("STALLED: a peer had no credits, and all was read");
        }
        for (Growth growth : Growth.of(samples)) {
            System.out.println(growth);
            if (growth.isTooMuch()) {
                verdict.failed("GROWN: " + growth);
            }
        }
    }
}
