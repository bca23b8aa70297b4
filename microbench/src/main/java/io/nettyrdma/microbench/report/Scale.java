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

import java.util.ArrayList;
import java.util.List;

/** A logarithmic axis: the positions of values between two ends. */
final class Scale {

    private static final double[] STEPS = { 1, 2, 5 };
    private static final double[] DECADES = { 1 };
    /** More labels would touch each other. */
    private static final int LABELS = 7;

    private final double min;
    private final double max;
    private final double from;
    private final double to;

    /**
     * @param min least value, more than 0.
     * @param from position of the least value.
     * @param to position of the greatest value.
     */
    Scale(double min, double max, double from, double to) {
        this.min = min;
        this.max = Math.max(max, min * 1.01);
        this.from = from;
        this.to = to;
    }

    double at(double value) {
        double share = Math.log(Math.max(value, min) / min) / Math.log(max / min);
        return from + Math.min(share, 1) * (to - from);
    }

    /** The values to label, at least one: 1, 2 and 5 of each decade, or 1 alone if these are too many. */
    List<Double> ticks() {
        List<Double> fine = ticks(STEPS);
        List<Double> coarse = ticks(DECADES);
        return fine.size() <= LABELS || coarse.isEmpty() ? fine : coarse;
    }

    private List<Double> ticks(double[] steps) {
        List<Double> ticks = new ArrayList<>();
        for (double decade = Math.pow(10, Math.floor(Math.log10(min))); decade <= max; decade *= 10) {
            for (double step : steps) {
                double value = decade * step;
                if (value >= min * 0.999 && value <= max * 1.001) {
                    ticks.add(value);
                }
            }
        }
        return ticks;
    }

    /** As short as a label of an axis should be. */
    static String label(double value) {
        if (value >= 1e6) {
            return trim(value / 1e6) + "M";
        }
        return value >= 1e4 ? trim(value / 1e3) + "k" : trim(value);
    }

    private static String trim(double value) {
        double rounded = Math.round(value * 1e4) / 1e4;
        return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
    }
}
