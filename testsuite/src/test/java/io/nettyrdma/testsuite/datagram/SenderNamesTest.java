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
package io.nettyrdma.testsuite.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.Gid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Address handles come and go while datagrams arrive. Each datagram whose promise succeeds is received. Its sender is
 * the one who sent it, or unknown, if the device does not name senders without a handle.
 */
@Tag("device")
class SenderNamesTest {

    private static final int SEED = 22;
    private static final int UNUSED_NUMBER = 17;

    private EfaEnds ends;
    private final Inbox inbox = new Inbox();
    private EfaDatagramChannel receiver;
    private EfaDatagramChannel sender;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        ends = new EfaEnds();
        receiver = ends.bind(inbox, bootstrap -> bootstrap.option(RdmaDatagramChannelOption.MAX_PEERS, 1));
        sender = ends.bind(new Inbox());
    }

    @AfterEach
    void end() throws Exception {
        SoftHca.noFaults();
        inbox.release();
        if (ends != null) {
            ends.close();
        }
    }

    /** An unused address of the same network. */
    private static DatagramAddress unused(int which) {
        byte[] raw = TestDevice.get().gid().bytes();
        raw[Gid.LENGTH - 1] ^= (byte) (1 + which % 100);
        return new DatagramAddress(new Gid(raw), UNUSED_NUMBER, 1);
    }

    private static void await(Future<?> future) throws Exception {
        future.get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void assertIsTheSender(DatagramAddress seen, boolean mayBeUnknown) {
        DatagramAddress sent = sender.localAddress();
        assertThat(seen.queuePairNumber()).isEqualTo(sent.queuePairNumber());
        if (!seen.isUnknown() || !mayBeUnknown) {
            assertThat(seen.gid()).isEqualTo(sent.gid());
        }
    }

    private DatagramAddress awaitSender(int number) throws Exception {
        AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
        assertThat(datagram.content().readInt()).isEqualTo(number);
        datagram.release();
        return datagram.sender();
    }

    /** The device names the sender by the number of a handle; by the time this is read, another has the number. */
    @Test
    void reusedNumberNamesItsOldOwnerForOlderDatagrams() throws Exception {
        for (int i = 0; i < 20; i++) {
            int round = i;
            await(receiver.prepare(sender.localAddress()));
            Future<Void> next = receiver.eventLoop().submit(() -> {
                sender.writeAndFlush(to(receiver, number(round))).sync();
                receiver.release(sender.localAddress());
                return receiver.prepare(unused(round));
            }).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            assertIsTheSender(awaitSender(round), false);
            await(next);
            receiver.release(unused(round));
        }
    }

    /** A call takes its time, and the device has done it before the call returns. */
    @Test
    void datagramHasItsSenderWhileHandlesAreCreatedAndDestroyed() throws Exception {
        SoftHca.faultsWhereItIsTheDevice(SEED, "control=1:2ms");
        int sent = 0;
        int received = 0;
        for (int round = 0; round < 15; round++) {
            DatagramAddress peer = round % 2 == 0 ? sender.localAddress() : unused(round);
            Future<Void> prepared = receiver.prepare(peer);
            do {
                List<ChannelFuture> window = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    window.add(sender.writeAndFlush(to(receiver, number(sent++))));
                }
                for (ChannelFuture each : window) {
                    await(each);
                }
                for (; received < sent; received++) {
                    AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
                    assertIsTheSender(datagram.sender(), !TestDevice.get().capabilities().senderGids());
                    datagram.release();
                }
            } while (!prepared.isDone());
            await(prepared);
            receiver.release(peer);
        }
    }

    /** A neighbour on the same loop has a handle for the sender, and takes it along. */
    @Test
    void closingANeighbourKeepsTheNamesOfSenders() throws Exception {
        long unknown = receiver.loopCounters().get(RdmaCounter.SENDERS_UNKNOWN);
        long dropped = receiver.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED);
        for (int round = 0; round < 10; round++) {
            EfaDatagramChannel neighbour = ends.bindBeside(receiver, new Inbox());
            await(neighbour.prepare(sender.localAddress()));
            int number = round;
            receiver.eventLoop().submit(() -> {
                sender.writeAndFlush(to(receiver, number(number))).sync();
                neighbour.close();
                return null;
            }).sync();
            assertIsTheSender(awaitSender(number), !TestDevice.get().capabilities().senderGids());
        }
        assertThat(receiver.loopCounters().get(RdmaCounter.SENDERS_UNKNOWN) - unknown)
                .isEqualTo(TestDevice.get().capabilities().senderGids() ? 0 : 10);
        assertThat(receiver.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED)).isEqualTo(dropped);
    }

    /** A domain can be closed when all its handles are destroyed; one that is left would be reported in the log. */
    @Test
    void closeDuringACallDestroysTheHandle() throws Exception {
        SoftHca.faultsWhereItIsTheDevice(SEED, "control=0.3:1ms");
        try (LogLines log = new LogLines("io.nettyrdma.io.Closer", Level.WARNING)) {
            for (int round = 0; round < 10; round++) {
                EfaDatagramChannel closing = ends.bind(new Inbox(), bootstrap -> bootstrap
                        .option(RdmaDatagramChannelOption.MAX_PEERS, 2));
                int first = 3 * round;
                await(closing.prepare(unused(first)));
                Future<Void> last = closing.eventLoop().submit(() -> {
                    closing.release(unused(first));
                    closing.prepare(unused(first + 1));
                    Future<Void> evicting = closing.prepare(unused(first + 2));
                    closing.close();
                    return evicting;
                }).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                assertThat(last.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
                await(closing.closeFuture());
            }
            ends.close();
            ends = null;
            assertThat(log.messages()).isEmpty();
        }
    }
}
