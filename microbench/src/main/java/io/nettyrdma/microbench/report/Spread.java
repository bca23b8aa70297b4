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
package io.nettyrdma.microbench.report;

import java.util.Arrays;
import java.util.Locale;

/**
 * The middle of some values, the least and the greatest.
 *
 * @param count number of values; with none of them the others are NaN.
 */
record Spread(double median, double min, double max, int count) {

    /** Values that are infinite or not a number are left out: a baseline may be 0. */
    static Spread of(double... values) {
        double[] sorted = Arrays.stream(values).filter(Double::isFinite).sorted().toArray();
        return sorted.length == 0 ? new Spread(Double.NaN, Double.NaN, Double.NaN, 0)
                : new Spread(middle(sorted), sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    private static double middle(double[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    boolean isEmpty() {
        return count == 0;
    }

    @Override
    public String toString() {
        return isEmpty() ? "n/a" : count == 1 ? format(median)
                : format(median) + " (" + format(min) + " to " + format(max) + ')';
    }

    /** Three digits, and all of those before the point. */
    static String format(double value) {
        double size = Math.abs(value);
        String format = size >= 100 || size == 0 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 0.095 ? "%.2f" : "%.2g";
        return String.format(Locale.ROOT, format, value);
    }
}
