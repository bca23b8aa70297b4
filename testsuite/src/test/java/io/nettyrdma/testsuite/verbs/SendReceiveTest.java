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
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.WorkCompletionOpcode;
import org.junit.jupiter.api.Tag;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("device")
class SendReceiveTest {

    private static final int LARGEST = 64 * 1024 + 1;

    @EachVariant
    void messagesOfEverySizeRoundTrip(ApiVariant variant) throws Exception {
        Random random = Seeds.newRandom();
        int mtu = TestDevice.get().attributes().activeMtu();
        try (RcPair pair = new RcPair(variant)) {
            TestMemory left = pair.left().memory(LARGEST);
            PeerMemory right = pair.right().memory(LARGEST);
            for (int size : new int[] { 1, 7, mtu - 1, mtu, mtu + 1, 3 * mtu, LARGEST }) {
                byte[] message = new byte[size];
                random.nextBytes(message);
                left.put(0, message);
                deliver(pair.left(), left, pair.right(), right, size);
                right.assertHolds(0, message);

                left.put(0, new byte[size]);
                deliver(pair.right(), right, pair.left(), left, size);
                left.assertHolds(0, message);
            }
        }
    }

    @EachVariant
    void emptyMessageArrives(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            pair.right().receive(1, pair.right().memory(8), 0, 8);
            pair.left().send(batch -> batch.send(2).signaled());
            assertThat(pair.right().receives().awaitSuccess().bytes()).isZero();
            assertThat(pair.left().sends().awaitSuccess().id()).isEqualTo(2);
        }
    }

    @EachVariant
    void aBatchArrivesInItsOrder(ApiVariant variant) throws Exception {
        int count = 20;
        try (RcPair pair = new RcPair(variant)) {
            TestMemory left = pair.left().memory(count * Integer.BYTES);
            PeerMemory right = pair.right().memory(count * Integer.BYTES);
            List<Peer.Receive> receives = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                receives.add(new Peer.Receive(1000 + i, List.of(right.sge(i * Integer.BYTES, Integer.BYTES))));
            }
            pair.right().receive(receives);
            pair.left().send(batch -> {
                for (int i = 0; i < count; i++) {
                    left.bytes().putInt(i * Integer.BYTES, 7 * i);
                    batch.send(i).sge(left.region(), (long) i * Integer.BYTES, Integer.BYTES).signaled();
                }
            });
            List<Completed> received = pair.right().receives().awaitSuccess(count);
            List<Completed> sent = pair.left().sends().awaitSuccess(count);
            for (int i = 0; i < count; i++) {
                assertThat(received.get(i).id()).isEqualTo(1000 + i);
                assertThat(sent.get(i).id()).isEqualTo(i);
                assertThat(right.getInt(i * Integer.BYTES)).isEqualTo(7 * i);
            }
        }
    }

    @EachVariant
    void aReceiveLongerThanTheMessageKeepsItsTail(ApiVariant variant) throws Exception {
        SoftHca.assumeItLeavesPostedMemoryAlone();
        try (RcPair pair = new RcPair(variant)) {
            TestMemory left = pair.left().memory(4).put(0, new byte[] { 1, 2, 3, 4 });
            PeerMemory right = pair.right().memory(8).put(0, new byte[] { 9, 9, 9, 9, 9, 9, 9, 9 });
            deliver(pair.left(), left, pair.right(), right, 4);
            assertThat(right.get(0, 8)).containsExactly(1, 2, 3, 4, 9, 9, 9, 9);
        }
    }

    /** Ids use all 64 bits, because users may choose any value. */
    private static void deliver(Peer sender, PeerMemory source, Peer receiver, PeerMemory sink, int size)
            throws Exception {
        long sendId = 0x8123_4567_89ab_cdefL;
        long receiveId = 0xfedc_ba98_7654_3210L;
        receiver.receive(receiveId, sink, 0, sink.size());
        sender.send(sendId, source, 0, size);

        Completed received = receiver.receives().awaitSuccess();
        assertThat(received.id()).isEqualTo(receiveId);
        assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
        assertThat(received.bytes()).isEqualTo(size);
        assertThat(received.immediate()).isNull();
        assertThat(received.queuePair()).isEqualTo(receiver.queuePairNumber());

        Completed sent = sender.sends().awaitSuccess();
        assertThat(sent.id()).isEqualTo(sendId);
        assertThat(sent.opcode()).isEqualTo(WorkCompletionOpcode.SEND);
        assertThat(sent.queuePair()).isEqualTo(sender.queuePairNumber());
    }
}
