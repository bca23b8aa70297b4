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

import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * The growth of a quantity that should not grow, from the end of the warm-up to the end. Each value is the median over
 * a tenth of the run, because work in flight makes it fluctuate.
 *
 * <pre>
 *   | warming up |    warm    |  ...  |  the end  |
 *   0 %         10 %         20 %    90 %       100 %
 * </pre>
 *
 * @param bound the largest growth allowed.
 */
record Growth(String what, long warm, long end, long bound) {

    private static final int PARTS = 10;
    private static final long MIB = 1 << 20;

    static List<Growth> of(List<Sample> samples) {
        return List.of(
                of("descriptors", samples, Sample::descriptors, 0, 100),
                of("resident bytes", samples, Sample::resident, 10, 96 * MIB),
                of("direct bytes", samples, Sample::direct, 10, 32 * MIB),
                of("committed bytes", samples, Sample::committed, 10, 64 * MIB));
    }

    /** @param percent additional growth allowed, relative to the warm value. */
    static Growth of(String what, List<Sample> samples, ToLongFunction<Sample> value, int percent, long bound) {
        int tenth = samples.size() / PARTS;
        // If the run is too short for tenths, uses the first and the last sample.
        int length = Math.max(1, tenth);
        long warm = median(samples.subList(tenth, tenth + length), value);
        long end = median(samples.subList(samples.size() - length, samples.size()), value);
        return new Growth(what, warm, end, bound + warm * percent / 100);
    }

    private static long median(List<Sample> samples, ToLongFunction<Sample> value) {
        return samples.stream().mapToLong(value).sorted().skip(samples.size() / 2).findFirst().orElseThrow();
    }

    boolean isTooMuch() {
        return end - warm > bound;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%-16s %,15d warm, %,15d at the end: %+,d, at most %+,d%s", what, warm, end,
                end - warm, bound, isTooMuch() ? "  TOO MUCH" : "");
    }
}
