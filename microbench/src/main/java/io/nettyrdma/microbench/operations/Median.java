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

import java.util.Arrays;
import java.util.Locale;

/** The values of a figure in each round. Without any, it is a figure that the device does not have. */
final class Median {

    private final double[] values = new double[Options.ROUNDS];
    private int count;

    void add(double value) {
        values[count++] = value;
    }

    double[] values() {
        return Arrays.copyOf(values, count);
    }

    /** The ratio is taken within each round, because the other load of the machine varies between rounds. */
    Median dividedBy(Median other) {
        Median ratios = new Median();
        for (int i = 0; i < Math.min(count, other.count); i++) {
            ratios.add(values[i] / other.values[i]);
        }
        return ratios;
    }

    /** Formats the median. */
    String format(String format) {
        return count == 0 ? "n/a" : String.format(Locale.ROOT, format, sorted()[count / 2]);
    }

    /** Formats the median, the least and the greatest. */
    String formatRange() {
        double[] sorted = sorted();
        return count == 0 ? "n/a" : String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", sorted[count / 2], sorted[0],
                sorted[count - 1]);
    }

    private double[] sorted() {
        double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        return sorted;
    }
}
