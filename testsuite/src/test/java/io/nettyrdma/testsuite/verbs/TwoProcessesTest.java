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
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.QueuePairAddress;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The peer is another JVM: nothing is shared but the wire. */
@Tag("device")
@OneProcess("it starts a second process anyway")
class TwoProcessesTest {

    private static final byte[] MESSAGE = "from one process to another".getBytes(StandardCharsets.US_ASCII);
    private static final int IMMEDIATE = 0x01020304;

    @BeforeEach
    void needsImmediate() {
        assumeTrue(TestDevice.get().capabilities().immediate(), "no immediate data");
    }

    /** The child posts and polls through the classic API: what the two share then is not one wrong conversion. */
    @Test
    void bytesAndImmediateArriveAsTheyWere() throws Exception {
        RcSettings settings = RcSettings.of(ApiVariant.preferred());
        try (Endpoint endpoint = new Endpoint(settings.variant(), settings.queues());
             ChildProcess child = connect(endpoint, settings)) {
            TestMemory memory = endpoint.memory(64).put(0, MESSAGE);
            endpoint.receive(1, memory, 32, 32);
            endpoint.send(batch -> batch.sendWithImmediate(2, IMMEDIATE)
                    .piece(memory.region(), 0, MESSAGE.length).signaled());

            assertThat(child.readLine())
                    .isEqualTo("received 1020304 " + new String(MESSAGE, StandardCharsets.US_ASCII));
            Completed answer = endpoint.receives().awaitSuccess();
            assertThat(answer.immediate()).isEqualTo(Integer.reverseBytes(IMMEDIATE));
            memory.assertHolds(32, MESSAGE);
            endpoint.sends().awaitSuccess();
            child.writeLine("end");
            assertThat(child.exitStatus()).isZero();
        }
    }

    @Test
    void whatWasSentToAProcessThatWasKilledFails() throws Exception {
        RcSettings settings = RcSettings.of(ApiVariant.preferred()).withRetryCount(2);
        try (Endpoint endpoint = new Endpoint(settings.variant(), settings.queues());
             ChildProcess child = connect(endpoint, settings)) {
            TestMemory memory = endpoint.memory(8);
            endpoint.receive(9, memory, 0, 8);
            child.kill();
            endpoint.send(batch -> batch.send(1).send(2).send(3).signaled());

            List<Completed> sends = endpoint.sends().await(3);
            assertThat(sends).extracting(Completed::id).containsExactly(1L, 2L, 3L);
            assertThat(sends).extracting(Completed::status).containsExactly(
                    WorkCompletionStatus.TRANSPORT_RETRY_EXCEEDED, WorkCompletionStatus.FLUSHED,
                    WorkCompletionStatus.FLUSHED);
            Completed receive = endpoint.receives().await();
            assertThat(receive.id()).isEqualTo(9);
            assertThat(receive.status()).isEqualTo(WorkCompletionStatus.FLUSHED);
            assertThat(endpoint.queuePair().query().state()).isEqualTo(QueuePairState.ERR);
        }
    }

    /** Starts the child and connects the two; it has a receive posted. */
    private static ChildProcess connect(Endpoint endpoint, RcSettings settings) throws Exception {
        ChildProcess child = ChildProcess.start(Child.class);
        try {
            endpoint.connect(QueuePairAddress.parse(child.readLine()), settings);
            child.writeLine(endpoint.address().format());
            assertThat(child.readLine()).isEqualTo("connected");
            return child;
        } catch (Throwable e) {
            child.close();
            throw e;
        }
    }

    /** Answers one message with its bytes and its immediate turned around. */
    static final class Child {

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            RcSettings settings = RcSettings.of(ApiVariant.CLASSIC_CQ_CLASSIC_QP);
            BufferedReader parent = ChildProcess.parentLines();
            try (Endpoint endpoint = new Endpoint(settings.variant(), settings.queues())) {
                TestMemory memory = endpoint.memory(64);
                ChildProcess.tellParent(endpoint.address().format());
                endpoint.connect(QueuePairAddress.parse(parent.readLine()), settings);
                endpoint.receive(1, memory, 0, 64);
                ChildProcess.tellParent("connected");

                Completed received = endpoint.receives().awaitSuccess();
                int immediate = received.immediate();
                ChildProcess.tellParent("received " + Integer.toHexString(immediate) + ' '
                        + new String(memory.get(0, received.bytes()), StandardCharsets.US_ASCII));
                endpoint.send(batch -> batch.sendWithImmediate(2, Integer.reverseBytes(immediate))
                        .piece(memory.region(), 0, received.bytes()).signaled());
                endpoint.sends().awaitSuccess();
                parent.readLine();
            }
        }
    }
}
