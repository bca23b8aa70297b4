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
package io.nettyrdma.microbench.echo;

import org.HdrHistogram.Histogram;

import java.util.Arrays;
import java.util.List;

/**
 * The results of one transport in one round, of one connection or as means of several.
 *
 * @param total round trips or messages per second, of all connections together; 0 for the other kinds.
 * @param histogram of the times in nanoseconds, or {@code null}.
 * @param columns of the table, in order, as {@link Kind#columns} names them. Transports are compared by the first one.
 */
public record Figure(double total, Histogram histogram, double... columns) {

    Figure(double total, double... columns) {
        this(total, null, columns);
    }

    static Figure of(List<Figure> connections) {
        double[] means = new double[connections.get(0).columns.length];
        Arrays.setAll(means, i -> connections.stream().mapToDouble(each -> each.columns[i]).average().orElseThrow());
        return new Figure(connections.stream().mapToDouble(Figure::total).sum(), sum(connections), means);
    }

    private static Histogram sum(List<Figure> connections) {
        Histogram sum = connections.get(0).histogram;
        if (sum != null) {
            connections.subList(1, connections.size()).forEach(each -> sum.add(each.histogram));
        }
        return sum;
    }

    /** The figure that transports are compared by. */
    public double main() {
        return columns[0];
    }
}
