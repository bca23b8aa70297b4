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
import io.nettyrdma.testsuite.support.Completions;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.PeerProcess;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The peer is another JVM: nothing is shared but the wire. */
@Tag("device")
@Tag("native-speed")
@OneProcess("it starts a second process anyway")
class TwoProcessesTest {

    private static final byte[] MESSAGE = "from one process to another".getBytes(StandardCharsets.US_ASCII);
    private static final int IMMEDIATE = 0x01020304;

    /** The child uses the classic API, so that the two do not share a conversion error. */
    @Test
    void bytesAndImmediateArriveUnchanged() throws Exception {
        assumeTrue(TestDevice.get().capabilities().immediate(), "no immediate data");
        RcSettings ours = RcSettings.of(ApiVariant.preferred());
        RcSettings classic = RcSettings.of(ApiVariant.CLASSIC_CQ_CLASSIC_QP);
        try (PeerProcess process = PeerProcess.start();
             Peer peer = process.create(classic);
             Endpoint endpoint = new Endpoint(ours.variant(), ours.queues())) {
            RcPair.connect(endpoint, ours, peer, classic);
            TestMemory here = endpoint.memory(64).put(0, MESSAGE);
            PeerMemory there = peer.memory(64);
            endpoint.receive(1, here, 32, 32);
            peer.receive(1, there, 0, 64);

            endpoint.send(batch -> batch.sendWithImmediate(2, IMMEDIATE)
                    .sge(here.region(), 0, MESSAGE.length).signaled());
            Completed received = peer.receives().awaitSuccess();
            assertThat(received.immediate()).isEqualTo(IMMEDIATE);
            assertThat(received.bytes()).isEqualTo(MESSAGE.length);
            there.assertHolds(0, MESSAGE);
            endpoint.sends().awaitSuccess();

            peer.send(new Peer.Send(2, List.of(there.sge(0, MESSAGE.length)), Integer.reverseBytes(IMMEDIATE),
                    false));
            assertThat(endpoint.receives().awaitSuccess().immediate()).isEqualTo(Integer.reverseBytes(IMMEDIATE));
            here.assertHolds(32, MESSAGE);
            peer.sends().awaitSuccess();
        }
    }

    @Test
    void sendToKilledProcessFails() throws Exception {
        Deviation.SIW_KEEPS_LATE_POSTS.assumeNotHere();
        RcSettings settings = RcSettings.of(ApiVariant.preferred()).withRetryCount(2);
        try (PeerProcess process = PeerProcess.start();
             Endpoint endpoint = new Endpoint(settings.variant(), settings.queues())) {
            RcPair.connect(endpoint, settings, process.create(settings), settings);
            TestMemory memory = endpoint.memory(8);
            endpoint.receive(9, memory, 0, 8);
            process.kill();

            try {
                endpoint.send(batch -> batch.send(1).send(2).send(3).signaled());
                assertFailed(endpoint.sends());
            } catch (PostException e) {
                // On iWARP the peer's end also ends the stream and the queue pair, possibly before the send.
                assertThat(e.isNotConnected()).as("%s", e).isTrue();
            }
            Completed receive = endpoint.receives().await();
            assertThat(receive.id()).isEqualTo(9);
            assertThat(receive.status()).isEqualTo(WorkCompletionStatus.FLUSHED);
            assertThat(endpoint.state()).isEqualTo(QueuePairState.ERR);
        }
    }

    private static void assertFailed(Completions completions) throws Exception {
        if (TestDevice.get().completesWhenTaken()) {
            assertThat(completions.awaitSuccess().id()).isEqualTo(3);
            return;
        }
        List<Completed> sends = completions.await(3);
        assertThat(sends).extracting(Completed::id).containsExactly(1L, 2L, 3L);
        assertThat(sends.get(0).status()).isEqualTo(WorkCompletionStatus.TRANSPORT_RETRY_EXCEEDED);
        assertThat(sends.subList(1, 3)).extracting(Completed::status).containsOnly(WorkCompletionStatus.FLUSHED);
    }
}
