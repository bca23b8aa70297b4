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

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The results of one transport in one round, of one connection or as means of several.
 *
 * @param main the figure that transports are compared by: microseconds of the median round trip, MiB/s, or
 *        connections/s.
 * @param second microseconds that 99 % of round trips do not exceed, messages/s, or microseconds of a connect.
 * @param third microseconds of the mean round trip; 0 for the other kinds.
 * @param total round trips or messages per second, of all connections together; 0 for the other kinds.
 */
public record Figure(double main, double second, double third, double total) {

    static Figure of(List<Figure> connections) {
        return new Figure(mean(connections, Figure::main), mean(connections, Figure::second),
                mean(connections, Figure::third), connections.stream().mapToDouble(Figure::total).sum());
    }

    private static double mean(List<Figure> figures, ToDoubleFunction<Figure> which) {
        return figures.stream().mapToDouble(which).average().orElseThrow();
    }

    /** The columns of a table, in order. */
    double[] values() {
        return new double[] { main, second, third };
    }
}
