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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Cycles;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.RdmaDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A thousand cycles leave nothing behind. */
@Tag("device")
@OneProcess("each process counts what it holds itself")
class OpenCloseCyclesTest {

    @Test
    void connections() throws Exception {
        Cycles.assertLeaveNothingBehind("connections", () -> {
            try (RcPair pair = new RcPair(ApiVariant.preferred())) {
                TestMemory source = pair.left().memory(64);
                PeerMemory sink = pair.right().memory(64);
                pair.right().receive(1, sink, 0, 64);
                pair.left().send(batch -> batch.send(1).sge(source.region(), 0, 64).signaled());
                pair.right().receives().awaitSuccess();
                pair.left().sends().awaitSuccess();
            }
            return null;
        });
    }

    @Test
    void devices() throws Exception {
        String name = TestDevice.get().device().name();
        Cycles.assertLeaveNothingBehind("devices", () -> {
            try (RdmaDevice device = RdmaDevice.open(name);
                 ProtectionDomain domain = device.createProtectionDomain();
                 CompletionQueue queue = device.createCompletionQueue(new CompletionQueueConfig(16))) {
                assertThat(domain.isOpen() && queue.isOpen()).isTrue();
            }
            return null;
        });
    }
}
