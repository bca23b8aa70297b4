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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.Gid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** What was flushed, from the flush to its promise, without a device. */
class DatagramOutputTest implements PeerHandles.Listener {

    private static final int DEPTH = 8;
    private static final int QUEUE_KEY = 7;

    private final RdmaCounters counters = new RdmaCounters();
    private final TestSends sends = new TestSends(DEPTH);
    private final TestLoop loop = new TestLoop();
    private final PeerHandles peers = new PeerHandles(loop, null, null, false, 2, this);
    private final DatagramOutput output = new DatagramOutput(sends, peers, counters, QUEUE_KEY, loop::revisit);
    /** Contents whose promises are done, in that order; those that failed with a minus. */
    private final List<Integer> done = new ArrayList<>();
    private final List<ByteBuf> contents = new ArrayList<>();

    DatagramOutputTest() {
        sends.listener = output::sendEnded;
    }

    @AfterEach
    void everyReferenceIsGivenBack() {
        assertThat(contents).allMatch(each -> each.refCnt() == 0);
    }

    @Test
    void datagramsThatCompleteInAnotherOrderHaveTheirPromisesDoneInThatOrder() throws Exception {
        ready(1);
        flush(datagram(1, 10), datagram(1, 11), datagram(1, 12));
        List<OutgoingDatagram> posted = List.copyOf(sends.posted);
        sends.end(posted.get(2), null);
        sends.end(posted.get(0), null);
        sends.end(posted.get(1), null);
        assertThat(done).containsExactly(12, 10, 11);
        assertThat(output.pending()).isZero();
        assertThat(output.pendingBytes()).isZero();
    }

    @Test
    void aDatagramThatFailsLeavesTheOthersInFlight() throws Exception {
        ready(1);
        flush(datagram(1, 10), datagram(1, 11));
        sends.end(sends.posted.get(0), DatagramFailure.UNRESPONSIVE);
        assertThat(done).containsExactly(-10);
        assertThat(output.pending()).isOne();
        sends.end(sends.posted.get(0), null);
        assertThat(done).containsExactly(-10, 11);
    }

    @Test
    void datagramsToAnUnknownPeerLeaveInOrderWhenItsHandleExists() throws Exception {
        flush(datagram(1, 10), datagram(1, 11));
        assertThat(sends.posted).isEmpty();
        assertThat(loop.calls()).as("calls that create a handle").isOne();
        loop.returns(null);
        output.sendWaiting();
        sends.end(sends.posted.get(0), null);
        sends.end(sends.posted.get(0), null);
        assertThat(done).containsExactly(10, 11);
    }

    @Test
    void datagramsWhoseHandleCannotBeCreatedFailAndThoseToOthersContinue() throws Exception {
        ready(1);
        flush(datagram(2, 20), datagram(1, 10), datagram(2, 21));
        loop.returns(new IOException("by the test"));
        assertThat(done).containsExactly(-20, -21);
        sends.end(sends.posted.get(0), null);
        assertThat(done).containsExactly(-20, -21, 10);
    }

    @Test
    void aDatagramThatCannotBeCopiedFailsAndTheNextLeaves() throws Exception {
        ready(1);
        sends.refusal = new IOException("by the test");
        flush(datagram(1, 10), datagram(1, 11));
        assertThat(done).containsExactly(-10);
        sends.end(sends.posted.get(0), null);
        assertThat(done).containsExactly(-10, 11);
    }

    /** A program may send again at once, in the listener: the loop must come to other work in between. */
    @Test
    void datagramsThatWaitForARecipientThatIsNotReadyFailInTheNextTurn() throws Exception {
        ready(1);
        for (int i = 0; i < DEPTH; i++) {
            flush(datagram(1, 10 + i));
        }
        int waiting = DEPTH - sends.inFlight();
        assertThat(waiting).as("datagrams that wait").isPositive();
        sends.end(sends.posted.get(0), DatagramFailure.NOT_READY);
        assertThat(done).containsExactly(-10);
        assertThat(loop.revisits).isEqualTo(waiting);
        output.endRefused();
        assertThat(done).hasSize(1 + waiting).allMatch(each -> each < 0);
        assertThat(counters.get(RdmaCounter.RECIPIENTS_NOT_READY)).isEqualTo(1 + waiting);
        endAll();
    }

    @Test
    void aListenerThatSendsWhenItsDatagramEndsIsServed() throws Exception {
        ready(1);
        OutgoingDatagram next = datagram(1, 11);
        OutgoingDatagram first = datagram(1, 10, () -> {
            try {
                flush(next);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        flush(first);
        sends.end(first, null);
        assertThat(output.pending()).isOne();
        sends.end(next, null);
        assertThat(done).containsExactly(10, 11);
        assertThat(output.pending()).isZero();
    }

    @Test
    void aCloseFailsWhatWaitsWhatWasRefusedAndWhatIsInFlightOnce() throws Exception {
        ready(1);
        for (int i = 0; i < DEPTH; i++) {
            flush(datagram(1, 10 + i));
        }
        sends.end(sends.posted.get(0), DatagramFailure.NOT_READY);
        flush(datagram(2, 20));
        output.close(true);
        assertThat(done).hasSize(DEPTH + 1).doesNotHaveDuplicates().allMatch(each -> each < 0);
        assertThat(output.pending()).isZero();
    }

    /** The device may still read it. */
    @Test
    void aCloseOfAQueuePairThatIsNotDestroyedKeepsWhatIsInFlight() throws Exception {
        ready(1);
        flush(datagram(1, 10));
        output.close(false);
        assertThat(done).containsExactly(-10);
        ByteBuf kept = contents.remove(0);
        assertThat(kept.refCnt()).isOne();
        kept.release();
    }

    private static DatagramAddress address(int peer) {
        byte[] raw = new byte[Gid.LENGTH];
        raw[Gid.LENGTH - 1] = (byte) peer;
        return new DatagramAddress(new Gid(raw), 1, QUEUE_KEY);
    }

    /** The peer has an address handle. */
    private void ready(int peer) {
        peers.get(address(peer).gid());
        loop.returns(null);
    }

    private OutgoingDatagram datagram(int peer, int number) {
        return datagram(peer, number, () -> { });
    }

    private OutgoingDatagram datagram(int peer, int number, Runnable whenDone) {
        ByteBuf content = Unpooled.buffer(Integer.BYTES).writeInt(number);
        contents.add(content);
        Promise<Void> promise = ImmediateEventExecutor.INSTANCE.newPromise();
        promise.addListener(each -> {
            done.add(each.isSuccess() ? number : -number);
            whenDone.run();
        });
        return OutgoingDatagram.of(content, address(peer), promise);
    }

    private void flush(OutgoingDatagram... datagrams) throws IOException {
        for (OutgoingDatagram each : datagrams) {
            assertThat(each.take()).isTrue();
            // As the outbound buffer does.
            each.release();
            output.take(each);
        }
        output.sendWaiting();
    }

    private void endAll() {
        while (!sends.posted.isEmpty()) {
            sends.end(sends.posted.get(0), null);
        }
    }

    @Override
    public void ready(PeerHandle peer) {
        output.ready(peer);
    }

    @Override
    public void failed(PeerHandle peer, Throwable cause) {
        output.failed(peer, cause);
    }

    @Override
    public void returned() {
    }
}
