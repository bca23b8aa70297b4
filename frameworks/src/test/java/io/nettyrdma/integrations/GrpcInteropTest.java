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

import io.grpc.testing.integration.AbstractInteropTest;
import org.junit.jupiter.api.Tag;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

import static org.assertj.core.api.Assertions.assertThat;

/** grpc-java's own interoperability tests. */
@Tag("device")
@Tested(AbstractInteropTest.class)
class GrpcInteropTest {

    /** As many as ran on NIO, of version 1.79.0. */
    private static final int LEAST = 34;

    @EachCarrier
    void suite(Carrier carrier) {
        try (Loops loops = new Loops(carrier)) {
            GrpcInterop.use(carrier, loops.group());
            Result result = JUnitCore.runClasses(GrpcInterop.class);
            assertThat(result.getFailures()).isEmpty();
            assertThat(result.getRunCount() - result.getIgnoreCount() - result.getAssumptionFailureCount())
                    .as("tests that ran").isGreaterThanOrEqualTo(LEAST);
        }
    }
}
