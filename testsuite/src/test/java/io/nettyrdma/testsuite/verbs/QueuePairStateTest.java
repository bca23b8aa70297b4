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
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.Transitions;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.nettyrdma.verbs.QueuePairState.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The state transitions of a queue pair, and those that are invalid. */
@Tag("device")
class QueuePairStateTest {

    private static final int EINVAL = 22;

    private final RcSettings settings = RcSettings.of(ApiVariant.preferred());

    @Test
    void deviceFollowsEveryTransition() throws Exception {
        TestDevice.get().assumeConnectsByHand();
        try (Endpoint endpoint = endpoint(); Endpoint peer = endpoint()) {
            QueuePair pair = endpoint.queuePair();
            assertState(pair, RESET);
            pair.modify(Transitions.toInit(settings));
            assertState(pair, INIT);
            // Repeated with other attributes, which only INIT allows.
            pair.modify(Transitions.toInit(settings));
            assertState(pair, INIT);
            pair.modify(Transitions.toReadyToReceive(peer.address()));
            assertState(pair, RTR);
            pair.modify(Transitions.toReadyToSend(settings, endpoint.address().psn()));
            assertState(pair, RTS);
            pair.toError();
            assertState(pair, ERR);
            pair.modify(new QueuePairAttributes().state(RESET));
            assertState(pair, RESET);
        }
    }

    @Test
    void transitionForbiddenByVerbsIsRefused() throws Exception {
        TestDevice.get().assumeConnectsByHand();
        try (Endpoint endpoint = endpoint(); Endpoint peer = endpoint()) {
            QueuePair pair = endpoint.queuePair();
            assertRefused(pair, RTR, RTS, SQD, SQE);
            pair.modify(Transitions.toInit(settings));
            assertRefused(pair, RTS, SQD, SQE);
            pair.modify(Transitions.toReadyToReceive(peer.address()));
            assertRefused(pair, INIT, RTR, SQD, SQE);
            pair.modify(Transitions.toReadyToSend(settings, endpoint.address().psn()));
            assertRefused(pair, INIT, RTR, SQE);
            pair.toError();
            assertRefused(pair, INIT, RTR, RTS, SQD, SQE);
        }
    }

    @Test
    void transitionRefusedByTheDeviceThrowsAndLeavesTheState() throws Exception {
        // On iWARP the connection supplies what the queue pair needs.
        TestDevice.get().assumeConnectsByHand();
        try (Endpoint endpoint = endpoint()) {
            QueuePair pair = endpoint.queuePair();
            QueuePairAttributes withoutPort = new QueuePairAttributes().state(INIT).partitionKeyIndex(0).access();
            assertThatExceptionOfType(VerbsException.class).isThrownBy(() -> pair.modify(withoutPort))
                    .withMessageStartingWith("ibv_modify_qp failed for " + pair + " to INIT: EINVAL (22)")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(EINVAL))
                    .satisfies(e -> assertThat(e.call()).isEqualTo("ibv_modify_qp"));
            assertState(pair, RESET);
            pair.modify(Transitions.toInit(settings));
            assertState(pair, INIT);
        }
    }

    @Test
    void queryReportsTheConnection() throws Exception {
        TestDevice.get().assumeConnectsByHand();
        try (RcPair pair = new RcPair(settings)) {
            QueuePairAttributes attributes = pair.left().queuePair().query();
            assertThat(attributes.state()).isEqualTo(RTS);
            assertThat(attributes.destination()).isEqualTo(pair.right().queuePairNumber());
            assertThat(attributes.addressVector().gid()).isEqualTo(TestDevice.get().gid());
            assertThat(attributes.addressVector().port()).isEqualTo(TestDevice.get().port());
            assertThat(attributes.minRnrTimer()).isEqualTo(12);
        }
    }

    @Test
    void theRnrTimerCanBeSetOnAConnection() throws Exception {
        TestDevice.get().assumeConnectsByHand();
        try (RcPair pair = new RcPair(settings)) {
            pair.left().queuePair().modify(new QueuePairAttributes().minRnrTimer(20));
            assertThat(pair.left().queuePair().query().minRnrTimer()).isEqualTo(20);
            assertState(pair.left().queuePair(), RTS);
        }
    }

    private Endpoint endpoint() throws Exception {
        return new Endpoint(settings.variant(), settings.queues());
    }

    private static void assertRefused(QueuePair pair, QueuePairState... targets) throws Exception {
        QueuePairState before = pair.state();
        for (QueuePairState target : targets) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> pair.modify(new QueuePairAttributes().state(target)))
                    .withMessage(pair + " is in " + before + " and cannot go to " + target);
        }
        assertState(pair, before);
    }

    private static void assertState(QueuePair pair, QueuePairState expected) throws Exception {
        assertThat(pair.state()).isEqualTo(expected);
        assertThat(pair.query().state()).isEqualTo(expected);
    }
}
