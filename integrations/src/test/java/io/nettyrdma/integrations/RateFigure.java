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
package io.nettyrdma.integrations;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The result of one measurement.
 *
 * @param requestsPerSecond of all connections together.
 * @param p50 microseconds from a request to its answer that half of the requests of all connections do not exceed.
 * @param p99 microseconds that 99 % of them do not exceed.
 */
record RateFigure(double requestsPerSecond, double p50, double p99) {

    /** The warm-up takes this part of the time: the first requests of a connection are slow. */
    private static final int WARMUP_PARTS = 5;

    /** Uses all connections at the same time. */
    static RateFigure measure(List<? extends RateConnection> connections, int millis) throws Exception {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        long from = System.nanoTime() + nanos / WARMUP_PARTS;
        List<Future<RateConnection>> running = new ArrayList<>();
        for (RateConnection connection : connections) {
            running.add(connection.run(from, from + nanos));
        }
        for (Future<RateConnection> each : running) {
            Waiting.after(from + nanos - System.nanoTime(), each);
        }
        return of(connections);
    }

    private static RateFigure of(List<? extends RateConnection> connections) {
        long[] nanos = connections.stream().flatMapToLong(each -> Arrays.stream(each.nanos())).sorted().toArray();
        return new RateFigure(connections.stream().mapToDouble(RateConnection::requestsPerSecond).sum(),
                nanos[nanos.length / 2] / 1e3, nanos[(int) (nanos.length * 0.99)] / 1e3);
    }
}
