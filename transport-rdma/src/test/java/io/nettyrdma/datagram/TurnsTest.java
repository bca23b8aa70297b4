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
package io.nettyrdma.datagram;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.verbs.Gid;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class TurnsTest {

    private static final int FREE = 8;

    private final Promise<Void> promise = ImmediateEventExecutor.INSTANCE.newPromise();
    private final PeerHandle peer = new PeerHandle(gid());
    private final Turns turns = new Turns();
    private int numbers;

    @Test
    void recipientsAreServedRoundRobin() {
        RemoteQueuePair first = waiting(2);
        RemoteQueuePair second = waiting(1);
        assertThat(served(FREE)).containsExactly(first, second, first);
        assertThat(turns.isEmpty()).isTrue();
    }

    /** The datagrams of the others were refused: they are many, and come first. */
    @Test
    void recipientIsServedAfterRecipientsWithEmptyQueues() {
        for (int i = 0; i < 100; i++) {
            waiting(1).next();
        }
        RemoteQueuePair busy = waiting(1);
        for (int i = 0; i < FREE; i++) {
            busy.begin();
        }
        RemoteQueuePair last = waiting(1);
        assertThat(served(FREE)).containsExactly(last);
        assertThat(busy.hasWaiting()).isTrue();
        assertThat(turns.isEmpty()).as("the busy one keeps its turn").isFalse();
    }

    @Test
    void aRecipientThatIsAddedTwiceHasOneTurn() {
        RemoteQueuePair twice = waiting(1);
        turns.add(twice);
        assertThat(served(FREE)).containsExactly(twice);
        twice.add(datagram(twice));
        turns.add(twice);
        assertThat(served(FREE)).containsExactly(twice);
    }

    private static Gid gid() {
        byte[] raw = new byte[Gid.LENGTH];
        raw[0] = 1;
        return new Gid(raw);
    }

    private RemoteQueuePair waiting(int datagrams) {
        RemoteQueuePair recipient = new RemoteQueuePair(peer);
        numbers++;
        for (int i = 0; i < datagrams; i++) {
            recipient.add(datagram(recipient));
        }
        turns.add(recipient);
        return recipient;
    }

    private OutgoingDatagram datagram(RemoteQueuePair recipient) {
        DatagramAddress address = new DatagramAddress(peer.gid(), numbers, 1);
        OutgoingDatagram datagram = OutgoingDatagram.of(Unpooled.EMPTY_BUFFER, address, promise);
        datagram.to(recipient);
        return datagram;
    }

    private List<RemoteQueuePair> served(int free) {
        List<RemoteQueuePair> served = new ArrayList<>();
        for (OutgoingDatagram next = turns.next(free); next != null; next = turns.next(free)) {
            served.add(next.to());
        }
        return served;
    }
}
