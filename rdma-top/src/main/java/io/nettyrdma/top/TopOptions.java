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
package io.nettyrdma.top;

import io.nettyrdma.program.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options of {@code rdma-top}. */
@Command(name = "rdma-top", description = {
        "Shows what a JVM does by RDMA: connections, rates, stalls, memory and event loops. Without PID it lists the "
                + "JVMs of this user.",
        "Exit status: 0, 1 if the process cannot be read, 2 for a usage error." })
final class TopOptions extends Options {

    private static final int MAX_SECONDS = 3600;
    private static final int MILLIS = 1000;

    @Parameters(arity = "0..1", paramLabel = "PID", description = "the process")
    private Long process;

    @Option(names = "--once", description = "prints one interval, without colours or cursor movements, and ends")
    private boolean once;

    @Option(names = "--interval", paramLabel = "SECONDS", defaultValue = "1",
            description = "seconds between two screens, 1")
    private int interval;

    @Option(names = "--count", paramLabel = "SCREENS", defaultValue = "0",
            description = "ends after so many screens; 0, the default, continues")
    private int count;

    @Override
    protected void check() {
        range("--interval", interval, 1, MAX_SECONDS);
        range("--count", count, 0, Integer.MAX_VALUE);
    }

    /** {@code null} to list the processes. */
    Long process() {
        return process;
    }

    boolean isOnce() {
        return once;
    }

    int screens() {
        return once ? 1 : count == 0 ? Integer.MAX_VALUE : count;
    }

    long intervalMillis() {
        return (long) interval * MILLIS;
    }
}
