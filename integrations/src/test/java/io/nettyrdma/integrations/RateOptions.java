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

import io.nettyrdma.program.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;

/** What to measure, and how long. */
@Command(name = "microbench/frameworks", description = "Measures small requests through frameworks.")
final class RateOptions extends Options {

    private static final int MOST = 1 << 30;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "5",
            description = "each measures everything once; a longer one comes first and is not counted")
    private int rounds;

    @Option(names = "--millis", paramLabel = "N", defaultValue = "500", description = "of each figure of a round")
    private int millis;

    @Option(names = "--loops", paramLabel = "N", defaultValue = "4", description = "of the clients, and of the server")
    private int loops;

    /** All without it. */
    @Option(names = "--frameworks", split = ",", paramLabel = "NAME", description = "to measure")
    private List<RateFramework> frameworks;

    /** All without it. */
    @Option(names = "--transports", split = ",", paramLabel = "NAME", description = "to measure")
    private List<RateCarrier> carriers;

    @Override
    protected void check() {
        range("--rounds", rounds, 1, MOST);
        range("--millis", millis, 1, MOST);
        range("--loops", loops, 1, MOST);
    }

    int rounds() {
        return rounds;
    }

    int millis() {
        return millis;
    }

    int loops() {
        return loops;
    }

    List<RateFramework> frameworks() {
        return frameworks == null ? List.of(RateFramework.values()) : frameworks;
    }

    List<RateCarrier> carriers() {
        return carriers == null ? List.of(RateCarrier.values()) : carriers;
    }
}
