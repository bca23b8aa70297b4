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
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The 32 bits arrive as the peer's program wrote them, including sign and zero. */
@Tag("device")
class ImmediateTest {

    private static final int[] VALUES = { 0x01020304, 0, -1, 0x80000000, 0xff00ff01 };

    @BeforeEach
    void needsImmediate() {
        assumeTrue(TestDevice.get().capabilities().immediate(), "no immediate data");
    }

    @EachVariant
    void sendDeliversTheImmediate(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory memory = pair.right().memory(8);
            for (int value : VALUES) {
                pair.right().receive(1, memory, 0, 8);
                pair.left().send(batch -> batch.sendWithImmediate(2, value).signaled());
                assertArrived(pair, value);
            }
        }
    }

    @EachVariant
    void writeDeliversTheImmediate(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            PeerMemory memory = pair.right().memory(8);
            for (int value : VALUES) {
                pair.right().receive(1, memory, 0, 8);
                pair.left().send(batch -> batch
                        .writeWithImmediate(2, memory.address(0), memory.remoteKey(), value).signaled());
                assertArrived(pair, value);
            }
        }
    }

    private static void assertArrived(RcPair pair, int value) throws Exception {
        Completed received = pair.right().receives().awaitSuccess();
        assertThat(received.immediate()).isEqualTo(value);
        assertThat(received.bytes()).isZero();
        assertThat(pair.left().sends().awaitSuccess().immediate()).isNull();
    }
}
