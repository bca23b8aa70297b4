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
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultAddressedEnvelope;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Two and three processes that exchange addresses, talk, die and come back. */
@Tag("device")
class EfaProcessesTest {

    private EfaEnds ends;
    private final Inbox answers = new Inbox();
    private EfaDatagramChannel channel;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        ends = new EfaEnds();
        channel = ends.bind(answers);
    }

    @AfterEach
    void end() {
        if (ends != null) {
            ends.close();
            answers.release();
        }
    }

    private ChannelFuture send(DatagramPeer peer, Object content) {
        return channel.writeAndFlush(new DefaultAddressedEnvelope<>(content, peer.address()));
    }

    @Test
    void twoPeersAnswer() throws Exception {
        try (EfaPeerProcess one = new EfaPeerProcess(); EfaPeerProcess other = new EfaPeerProcess()) {
            List<DatagramPeer> peers = List.of(one.meet(ends.group(), channel), other.meet(ends.group(), channel));
            BitSet seen = new BitSet();
            for (int first = 0; first < 5_000; first += 50) {
                List<ChannelFuture> sent = new ArrayList<>();
                for (int i = first; i < first + 50; i++) {
                    sent.add(send(peers.get(i % 2), number(i).writeZero(i % 1_000)));
                }
                for (int i = 0; i < 50; i++) {
                    int number = answers.awaitNumber();
                    assertThat(seen.get(number)).as("%d came before", number).isFalse();
                    seen.set(number);
                }
                for (ChannelFuture each : sent) {
                    each.sync();
                }
            }
            assertThat(seen.cardinality()).isEqualTo(5_000);
            peers.forEach(DatagramPeer::close);
        }
    }

    /** As many queue pairs as a device has, in another process. One has exchanged addresses, and all answer. */
    @Test
    void twoHundredAndFiftySixPeersAnswer() throws Exception {
        assumeTrue(TestDevice.get().capabilities().senderGids(), "the others cannot identify the sender");
        EfaDatagramChannel known = ends.bind(answers, bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.QUEUE_KEY, EfaPeerProcess.QUEUE_KEY));
        try (EfaPeerProcess many = new EfaPeerProcess(256); DatagramPeer first = many.meet(ends.group(), known)) {
            assertThat(many.numbers()).hasSize(256).doesNotHaveDuplicates();
            List<ChannelFuture> sent = new ArrayList<>();
            for (int i = 0; i < 256; i++) {
                sent.add(known.write(new DefaultAddressedEnvelope<>(number(i), new DatagramAddress(
                        first.address().gid(), many.numbers().get(i), EfaPeerProcess.QUEUE_KEY))));
            }
            known.flush();
            BitSet seen = new BitSet();
            for (int i = 0; i < 256; i++) {
                seen.set(answers.awaitNumber());
            }
            assertThat(seen.cardinality()).isEqualTo(256);
            for (ChannelFuture each : sent) {
                each.sync();
            }
        }
    }

    @Test
    void memoryOfThePeersIsWrittenAndRead() throws Exception {
        EfaEnds.assumeWrites();
        try (EfaPeerProcess process = new EfaPeerProcess(); DatagramPeer peer = process.meet(ends.group(), channel)) {
            byte[] bytes = new byte[EfaPeerProcess.MEMORY];
            Seeds.newRandom().nextBytes(bytes);
            ByteBuf before = RdmaByteBufAllocator.DEFAULT.directBuffer(EfaPeerProcess.MEMORY);
            send(peer, new RdmaRead(peer.memories().get(0), before.retain())).sync();
            assertThat(before.forEachByte(value -> value == EfaPeerProcess.CONTENT)).isEqualTo(-1);
            before.release();
            ByteBuf source = RdmaByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
            send(peer, new RdmaWrite(source, peer.memories().get(0)).withImmediate(-7)).sync();
            assertThat(answers.awaitNumber()).isEqualTo(-7);
            ByteBuf after = RdmaByteBufAllocator.DEFAULT.directBuffer(EfaPeerProcess.MEMORY);
            send(peer, new RdmaRead(peer.memories().get(0), after.retain())).sync();
            assertThat(after).isEqualTo(Unpooled.wrappedBuffer(bytes));
            after.release();
        }
    }

    /** Datagrams to the killed process fail; others and the next process with, perhaps, the same number go on. */
    @Test
    void restartedPeerIsReachable() throws Exception {
        try (EfaPeerProcess witness = new EfaPeerProcess()) {
            DatagramPeer other = witness.meet(ends.group(), channel);
            EfaPeerProcess process = new EfaPeerProcess();
            DatagramPeer dead = process.meet(ends.group(), channel);
            send(dead, number(1)).sync();
            assertThat(answers.awaitNumber()).isEqualTo(1);
            // Stopped, so that nothing answers what is in flight when it dies.
            process.stop();
            List<ChannelFuture> lost = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                lost.add(send(dead, number(2)));
            }
            process.kill();
            for (ChannelFuture each : lost) {
                assertThat(each.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
                assertThat(each.cause()).isInstanceOf(DatagramException.class);
                assertThat(((DatagramException) each.cause()).failure()).isIn(DatagramFailure.UNRESPONSIVE,
                        DatagramFailure.NO_SUCH_QUEUE_PAIR);
            }
            send(other, number(3)).sync();
            assertThat(answers.awaitNumber()).isEqualTo(3);
            try (EfaPeerProcess again = new EfaPeerProcess()) {
                DatagramPeer next = again.meet(ends.group(), channel);
                ChannelFuture late = send(dead, number(4));
                assertThat(late.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
                assertThat(late.cause()).as("a datagram to the dead, which must not reach the next")
                        .isInstanceOf(DatagramException.class);
                send(next, number(5)).sync();
                assertThat(answers.awaitNumber()).isEqualTo(5);
            }
        }
    }
}
