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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.microbench.echo.Samples;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Measures how long memory takes to be registered and deregistered again. */
final class RegistrationCost {

    private static final int SMALLEST = 4 << 10;
    private static final int LARGEST = 64 << 20;
    private static final int STEP = 4;

    /** Microseconds of ordinary pages that were never touched, of touched ones, and of huge ones. */
    private record Row(Median fresh, Median ordinary, Median huge) { }

    private final ProtectionDomain domain;
    private final LocalPort port;
    private final long nanos;

    private RegistrationCost(ProtectionDomain domain, LocalPort port, long nanos) {
        this.domain = domain;
        this.port = port;
        this.nanos = nanos;
    }

    static void measure(LocalPort port, Options options) throws IOException {
        Map<Integer, Row> rows = new TreeMap<>();
        for (int size = SMALLEST; size <= LARGEST; size *= STEP) {
            rows.put(size, new Row(new Median(), new Median(), new Median()));
        }
        try (RdmaDevice device = RdmaDevice.open(port.device());
             ProtectionDomain domain = device.createProtectionDomain()) {
            // A fourth of the time is enough for what takes microseconds, and large fresh memory takes longer anyway.
            RegistrationCost cost = new RegistrationCost(domain, port, options.nanos() / STEP);
            for (int round = 0; round <= Options.ROUNDS; round++) {
                for (Map.Entry<Integer, Row> each : rows.entrySet()) {
                    // The first round is the warm-up of the JVM's compiler.
                    cost.measure(each.getKey(), round > 0 ? each.getValue()
                            : new Row(new Median(), new Median(), new Median()));
                }
            }
        }
        System.out.printf("%nCost of registration, register and close, p50 us%n%n| KiB | ordinary pages, never touched"
                + " | ordinary pages | transparent huge pages | huge / ordinary |%n|---|---|---|---|---|%n");
        rows.forEach((size, row) -> System.out.printf(Locale.ROOT, "| %,d | %s | %s | %s | %s |%n", size >> 10,
                row.fresh.format("%,.1f"), row.ordinary.format("%,.1f"), row.huge.format("%,.1f"),
                row.huge.dividedBy(row.ordinary).formatRange()));
    }

    private void measure(int size, Row row) throws IOException {
        try (Pages pages = new Pages(size, Pages.Kind.ORDINARY)) {
            row.fresh.add(micros(pages, true));
            pages.touch();
            row.ordinary.add(micros(pages, false));
        }
        if (size < Pages.HUGE) {
            return;
        }
        try (Pages pages = new Pages(size, Pages.Kind.TRANSPARENT_HUGE)) {
            long before = Pages.hugeBytes();
            pages.touch();
            // The kernel may have none to give.
            if (Pages.hugeBytes() - before >= size) {
                row.huge.add(micros(pages, false));
            }
        }
    }

    private double micros(Pages pages, boolean fresh) throws VerbsException {
        Samples samples = Samples.take();
        long end = System.nanoTime() + nanos;
        do {
            if (fresh) {
                pages.renew();
            }
            long start = System.nanoTime();
            domain.register(pages.address(), pages.size(), pages, port.access()).close();
            samples.add(System.nanoTime() - start);
        } while (System.nanoTime() - end < 0 && !samples.isFull());
        double micros = samples.figure().main();
        samples.give();
        return micros;
    }
}
