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
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.QueuePairAddress;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;

/** Unreliable datagrams: each names its destination and arrives behind the 40 bytes of its GRH. */
@Tag("device")
class DatagramTest {

    private static final int GRH = 40;
    private static final int QUEUE_KEY = 0x11223344;
    private static final byte[] MESSAGE = "a datagram".getBytes();

    @BeforeEach
    void needsDatagrams() {
        TestDevice.get().assumeDatagrams();
    }

    @EachVariant
    void datagramArrivesAfterItsGlobalRoutingHeader(ApiVariant variant) throws Exception {
        try (Endpoint sender = endpoint(variant); Peer receiver = peer(variant)) {
            TestMemory source = sender.memory(64).put(0, MESSAGE);
            PeerMemory sink = receiver.memory(GRH + 64);
            receiver.receive(1, sink, 0, sink.size());
            AddressHandle way = wayTo(sender, receiver);
            sender.send(batch -> batch.send(2).to(way, receiver.queuePairNumber(), QUEUE_KEY)
                    .sge(source.region(), 0, MESSAGE.length).signaled());

            Completed received = receiver.receives().awaitSuccess();
            assertThat(received.bytes()).isEqualTo(GRH + MESSAGE.length);
            sink.assertHolds(GRH, MESSAGE);
            assertThat(received.globalRoutingHeader()).isTrue();
            assertThat(sourceOf(sink.get(0, GRH))).isEqualTo(TestDevice.get().gid());
            assertThat(received.sourceQueuePair()).isEqualTo(sender.queuePair().number());
            assertThat(received.immediate()).isNull();
            assertThat(sender.sends().awaitSuccess().id()).isEqualTo(2);
        }
    }

    /** The header and the completion identify the sender well enough to answer it. */
    @EachVariant
    void aDatagramCanBeAnswered(ApiVariant variant) throws Exception {
        try (Endpoint asker = endpoint(variant); Peer answerer = peer(variant)) {
            PeerMemory question = answerer.memory(GRH + 8);
            TestMemory answer = asker.memory(GRH + 8);
            answerer.receive(1, question, 0, question.size());
            asker.receive(1, answer, 0, answer.size());
            AddressHandle there = wayTo(asker, answerer);
            asker.send(batch -> batch.sendWithImmediate(2, 0x01020304)
                    .to(there, answerer.queuePairNumber(), QUEUE_KEY).signaled());

            Completed asked = answerer.receives().awaitSuccess();
            assertThat(asked.immediate()).isEqualTo(0x01020304);
            assertThat(asked.bytes()).isEqualTo(GRH);
            answerer.sendTo(sourceOf(question.get(0, GRH)), asker.address().lid(), asked.sourceQueuePair(), QUEUE_KEY,
                    0x05060708);
            assertThat(asker.receives().awaitSuccess().immediate()).isEqualTo(0x05060708);
        }
    }

    /** One batch with two destinations: the right bytes reach the right queue pair. */
    @EachVariant
    void aBatchReachesSeveralDestinations(ApiVariant variant) throws Exception {
        try (Endpoint sender = endpoint(variant);
             Peer one = peer(variant);
             Peer other = peer(variant)) {
            TestMemory source = sender.memory(2).put(0, new byte[] { 1, 2 });
            PeerMemory atOne = one.memory(GRH + 1);
            PeerMemory atOther = other.memory(GRH + 1);
            one.receive(1, atOne, 0, GRH + 1);
            other.receive(1, atOther, 0, GRH + 1);
            AddressHandle way = wayTo(sender, one);
            sender.send(batch -> batch
                    .send(1).to(way, one.queuePairNumber(), QUEUE_KEY).sge(source.region(), 0, 1).signaled()
                    .send(2).to(way, other.queuePairNumber(), QUEUE_KEY).sge(source.region(), 1, 1).signaled());
            one.receives().awaitSuccess();
            other.receives().awaitSuccess();
            assertThat(atOne.get(GRH, 1)).containsExactly(1);
            assertThat(atOther.get(GRH, 1)).containsExactly(2);
            sender.sends().awaitSuccess(2);
        }
    }

    /** A datagram with the wrong key is dropped silently, which shows when the next one takes its receive. */
    @EachVariant
    void aDatagramWithTheWrongQueueKeyIsDropped(ApiVariant variant) throws Exception {
        try (Endpoint sender = endpoint(variant); Peer receiver = peer(variant)) {
            TestMemory source = sender.memory(2).put(0, new byte[] { 66, 1 });
            PeerMemory sink = receiver.memory(GRH + 1);
            receiver.receive(1, sink, 0, GRH + 1);
            AddressHandle way = wayTo(sender, receiver);
            int number = receiver.queuePairNumber();
            sender.send(batch -> batch
                    .send(1).to(way, number, QUEUE_KEY + 1).sge(source.region(), 0, 1).signaled()
                    .send(2).to(way, number, QUEUE_KEY).sge(source.region(), 1, 1).signaled());
            receiver.receives().awaitSuccess();
            assertThat(sink.get(GRH, 1)).containsExactly(1);
            sender.sends().awaitSuccess(2);
            receiver.receives().assertNoMore();
        }
    }

    private static Endpoint endpoint(ApiVariant variant) throws Exception {
        Endpoint endpoint = new Endpoint(variant, settings(variant).queues());
        endpoint.activateDatagrams(QUEUE_KEY);
        return endpoint;
    }

    private static Peer peer(ApiVariant variant) throws Exception {
        Peer peer = Peer.create(settings(variant));
        peer.activateDatagrams(QUEUE_KEY);
        return peer;
    }

    private static RcSettings settings(ApiVariant variant) {
        return RcSettings.of(variant).withQueues(new QueuePairConfig(QueuePairType.UD, 16));
    }

    private static AddressHandle wayTo(Endpoint from, Peer to) throws Exception {
        QueuePairAddress address = to.address();
        return from.own(from.domain().createAddressHandle(TestDevice.get().wayTo(address.gid(), address.lid())));
    }

    /**
     * <pre>
     *   IPv6 and InfiniBand:  0 | 6... flow | length | 8 | source 16 | 24 | destination 16 | 40
     *   IPv4:                 0 | undefined | 20 | 45... | 32 | source 4 | 36 | destination 4 | 40
     * </pre>
     */
    private static Gid sourceOf(byte[] header) {
        if (header[0] >>> 4 == 6) {
            return new Gid(Arrays.copyOfRange(header, 8, 24));
        }
        assertThat(header[20]).as("version and length of the IPv4 header").isEqualTo((byte) 0x45);
        byte[] mapped = new byte[Gid.LENGTH];
        mapped[10] = -1;
        mapped[11] = -1;
        System.arraycopy(header, 32, mapped, 12, 4);
        return new Gid(mapped);
    }
}
