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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.FlightRecording;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.Gid;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;

/** A stranger at the TCP port of an exchange changes nothing for others, and each end learns why one fails. */
@Tag("device")
class ExchangeOfStrangersTest {

    private static final int MOST_PEERS = 4;
    private static final int READY = 1;
    private static final int REFUSED = 2;
    private static final int MAGIC = 0x4e454641;
    private static final int RECORD = 40;

    private EfaEnds ends;
    private final Inbox inbox = new Inbox();
    private final BlockingQueue<Future<DatagramPeer>> accepted = new LinkedBlockingQueue<>();
    private EfaDatagramChannel server;
    private EfaDatagramChannel client;
    private InetSocketAddress address;

    @BeforeEach
    void listen() throws Exception {
        EfaEnds.assumeEfa();
        ends = new EfaEnds();
        server = ends.bind(inbox, bootstrap -> bootstrap.option(RdmaDatagramChannelOption.MAX_PEERS, MOST_PEERS));
        client = ends.bind(new Inbox());
        Channel listener = new ServerBootstrap().group(ends.group()).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        DatagramExchange exchange = new DatagramExchange(server, List.of());
                        accepted.add(exchange.peer());
                        channel.pipeline().addLast(exchange);
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        address = (InetSocketAddress) listener.localAddress();
    }

    @AfterEach
    void end() throws Exception {
        inbox.release();
        if (ends != null) {
            ends.close();
        }
    }

    /** Speaks the protocol by hand. */
    private final class Stranger implements AutoCloseable {

        private final Socket socket = new Socket(address.getAddress(), address.getPort());

        Stranger() throws IOException {
            socket.setSoTimeout(EfaEnds.PATIENCE_MILLIS);
        }

        Stranger say(byte... bytes) throws IOException {
            socket.getOutputStream().write(bytes);
            return this;
        }

        Stranger sayRecord(DatagramAddress own) throws IOException {
            ByteBuf record = Unpooled.buffer().writeInt(MAGIC).writeInt(0x01000000);
            own.encode(record);
            return say(ByteBufUtil.getBytes(record.writeInt(8_928).writeInt(0)));
        }

        /** @return whether the server is ready, too. */
        boolean exchange(DatagramAddress own) throws IOException {
            byte[] answer = sayRecord(own).hear(RECORD + 1);
            if (answer.length <= RECORD || answer[RECORD] != READY) {
                return false;
            }
            say((byte) READY);
            return true;
        }

        /** Fewer if the server ends the connection. */
        byte[] hear(int bytes) throws IOException {
            return socket.getInputStream().readNBytes(bytes);
        }

        /** All that the server says before it ends the connection is why it refuses. */
        String hearRefusal() throws IOException {
            InputStream in = socket.getInputStream();
            assertThat(in.read()).isEqualTo(REFUSED);
            byte[] text = in.readNBytes(in.read());
            assertThat(in.read()).isEqualTo(-1);
            return new String(text, StandardCharsets.UTF_8);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private DatagramPeer meet() throws Exception {
        return connecting().get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Future<DatagramPeer> connecting() {
        return DatagramExchange.connect(new Bootstrap().group(ends.group()).channel(EpollSocketChannel.class), address,
                client, List.of(), 0);
    }

    private DatagramPeer accepted() throws Exception {
        return nextAccepted().get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Future<DatagramPeer> nextAccepted() throws Exception {
        return accepted.poll(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** An unused address of the same network. */
    private static DatagramAddress unused(int which) {
        byte[] raw = TestDevice.get().gid().bytes();
        raw[Gid.LENGTH - 1] ^= (byte) (1 + which % 100);
        return new DatagramAddress(new Gid(raw), 17, 1);
    }

    private void assertKnowsTheClient() throws Exception {
        client.writeAndFlush(to(server, number(1))).sync();
        AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
        datagram.release();
        assertThat(datagram.sender()).isEqualTo(client.localAddress());
    }

    @Test
    void knownKeyIsNotReplaced() throws Exception {
        try (DatagramPeer peer = meet(); Stranger stranger = new Stranger()) {
            assertKnowsTheClient();
            stranger.sayRecord(client.localAddress().withQueueKey(666));
            assertThat(stranger.hearRefusal()).contains("another key");
            assertKnowsTheClient();
            assertThat(peer.isOpen()).isTrue();
        }
    }

    /** A second holder of the same key takes nothing away when it leaves. */
    @Test
    void secondExchangeOfAnAddressEndsIndependently() throws Exception {
        DatagramPeer first = meet();
        DatagramPeer atServer = accepted();
        try (Stranger again = new Stranger()) {
            assertThat(again.exchange(client.localAddress())).isTrue();
        }
        DatagramPeer second = accepted();
        Deadline.standard().until("the second has ended", () -> !second.isOpen());
        assertThat(atServer.isOpen()).isTrue();
        assertKnowsTheClient();
        first.close();
        Deadline.standard().until("the first has ended", () -> !atServer.isOpen());
    }

    /** Their handles make room for others when their connections end. */
    @Test
    void forgedAddressesReleaseTheirHandles() throws Exception {
        for (int i = 0; i < 2 * MOST_PEERS; i++) {
            try (Stranger stranger = new Stranger()) {
                assertThat(stranger.exchange(unused(i))).isTrue();
            }
            DatagramPeer peer = accepted();
            Deadline.standard().until("it is forgotten", () -> !peer.isOpen());
        }
        try (DatagramPeer peer = meet()) {
            assertThat(peer.isOpen()).isTrue();
            assertKnowsTheClient();
        }
    }

    /** All handles are held, until the first of the connections ends. */
    @Test
    void keptPeerOutlivesItsConnection() throws Exception {
        List<Stranger> strangers = new ArrayList<>();
        List<DatagramPeer> peers = new ArrayList<>();
        for (int i = 0; i < MOST_PEERS; i++) {
            strangers.add(new Stranger());
            assertThat(strangers.get(i).exchange(unused(i))).isTrue();
            peers.add(accepted());
        }
        peers.get(0).keep();
        strangers.get(0).close();
        assertThat(server.prepare(unused(50)).await().cause()).isInstanceOf(DatagramException.class)
                .hasMessageContaining("MAX_PEERS");
        strangers.get(1).close();
        Deadline.standard().until("one is forgotten", () -> !peers.get(1).isOpen());
        server.prepare(unused(50)).sync();
        assertThat(peers.get(0).isOpen()).isTrue();
        peers.get(0).close();
        server.prepare(unused(51)).sync();
        for (Stranger each : strangers) {
            each.close();
        }
    }

    @Test
    void impossibleQueuePairNumberIsRefused() throws Exception {
        DatagramAddress own = client.localAddress();
        for (DatagramAddress each : List.of(new DatagramAddress(own.gid(), 0x10000, 1), own.withQueueKey(0))) {
            try (Stranger stranger = new Stranger().sayRecord(each)) {
                assertThat(stranger.hearRefusal()).contains("what cannot be");
            }
        }
    }

    @Test
    void refusalIsAnEventOfTheRecorder() throws Exception {
        try (FlightRecording recording = FlightRecording.of("Refusal");
             Stranger stranger = new Stranger().sayRecord(client.localAddress().withQueueKey(0))) {
            String text = stranger.hearRefusal();
            RecordedEvent event = recording.await("Refusal",
                    each -> address.toString().equals(each.getString("local")));
            assertThat(event.getString("reason")).isEqualTo("EXCHANGE");
            assertThat(event.getString("text")).isEqualTo(text);
        }
    }

    /** An address of another network: the device makes no handle for it. The peer does not learn of the device. */
    @Test
    void acceptingEndSendsNoRecordBeforeItHasAHandle() throws Exception {
        byte[] raw = TestDevice.get().gid().bytes();
        raw[0] = 0x20;
        try (Stranger stranger = new Stranger().sayRecord(new DatagramAddress(new Gid(raw), 17, 1))) {
            assertThat(stranger.hearRefusal()).isEqualTo("there is no address handle for it");
        }
        assertThat(nextAccepted().await().cause()).hasStackTraceContaining("ibv_create_ah");
    }

    @Test
    void bothEndsGetTheCauseOfAFailedExchange() throws Exception {
        server.prepare(client.localAddress().withQueueKey(77)).sync();
        Future<DatagramPeer> refused = connecting();
        assertThat(refused.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        assertThat(refused.cause()).hasMessage("the peer refused the exchange of addresses: "
                + "this queue pair is known with another key");
        assertThat(nextAccepted().await().cause()).hasMessageContaining("known with another key");
        server.release(client.localAddress().withQueueKey(77));
        meet().close();
    }

    /** What the peer says goes into exceptions and logs. */
    @Test
    void refusalTextIsOneLineInTheLog() throws Exception {
        try (ServerSocket liar = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Future<DatagramPeer> refused = DatagramExchange.connect(new Bootstrap().group(ends.group())
                    .channel(EpollSocketChannel.class), liar.getLocalSocketAddress(), client, List.of(), 0);
            try (Socket connection = liar.accept()) {
                connection.getInputStream().readNBytes(RECORD);
                connection.getOutputStream().write(new byte[] { REFUSED, 5, 'n', 'o', '\n', 'o', 'k' });
                assertThat(refused.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
            }
            assertThat(refused.cause()).isInstanceOf(IOException.class).hasMessageEndingWith(": no\\u000aok");
        }
    }

    // ---- prepare and release ----

    /** Once too often for one peer must not let go of it, nor of another. */
    @Test
    void surplusReleaseHasNoEffect() throws Exception {
        try (DatagramPeer peer = meet()) {
            server.release(client.localAddress());
            assertKnowsTheClient();
            for (int i = 1; i < MOST_PEERS; i++) {
                server.prepare(unused(i)).sync();
            }
            server.release(unused(1));
            server.release(unused(1));
            server.release(client.localAddress());
            server.prepare(unused(10)).sync();
            assertThat(server.prepare(unused(11)).await().cause()).isInstanceOf(DatagramException.class)
                    .hasMessageContaining("MAX_PEERS");
            server.release(unused(10));
            server.prepare(unused(11)).sync();
            assertKnowsTheClient();
            assertThat(peer.isOpen()).isTrue();
        }
    }
}
