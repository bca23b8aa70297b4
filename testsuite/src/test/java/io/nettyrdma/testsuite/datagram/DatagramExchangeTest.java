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
import io.netty.buffer.Unpooled;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Two datagram channels that learn of each other over TCP, on loops that they share with it. */
@Tag("device")
class DatagramExchangeTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final List<RemoteMemory> MEMORIES = List.of(
            new RemoteMemory(0x1000, 4096, 7, Set.of(MemoryAccess.REMOTE_WRITE)),
            new RemoteMemory(0x7fff_0000_0000L, 1 << 30, -1, Set.of(MemoryAccess.REMOTE_READ)));

    private final LeakWatch leaks = new LeakWatch();
    /** Netty logs what a handler throws while it handles an exception. */
    private final LogLines complaints = new LogLines("io.netty.channel", Level.WARNING);
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
    private final NumberInbox inbox = new NumberInbox();
    private final BlockingQueue<Future<DatagramPeer>> accepted = new LinkedBlockingQueue<>();
    private RdmaDatagramChannel here;
    private RdmaDatagramChannel there;
    private Channel listener;

    @BeforeEach
    void listen() throws Exception {
        TestDevice.get().assumeDatagrams();
        here = bind(new NumberInbox());
        there = bind(inbox);
        listener = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        DatagramExchange exchange = new DatagramExchange(there, MEMORIES, PATIENCE_MILLIS);
                        accepted.add(exchange.peer());
                        channel.pipeline().addLast(exchange, new Echo());
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        leaks.close();
        complaints.close();
        assertThat(complaints.messages()).isEmpty();
    }

    private RdmaDatagramChannel bind(NumberInbox handler) throws Exception {
        return (RdmaDatagramChannel) new Bootstrap().group(group).channel(RdmaDatagramChannel.class)
                .option(RdmaDatagramChannelOption.QUEUE_KEY, 1 + System.identityHashCode(handler) % 1_000_000)
                .handler(handler).bind(DatagramAddress.any(TestDevice.get().device().name())).sync().channel();
    }

    private Channel connect(ChannelInboundHandlerAdapter... handlers) throws Exception {
        return new Bootstrap().group(group).channel(EpollSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handlers);
                    }
                }).connect(listener.localAddress()).sync().channel();
    }

    private static DatagramPeer await(Future<DatagramPeer> peer) throws Exception {
        return peer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Future<DatagramPeer> accepted() throws Exception {
        return accepted.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** The keys differ, so that a datagram arrives only because of the exchange. */
    @Test
    void bothEndsExchangeTheirAddresses() throws Exception {
        DatagramExchange exchange = new DatagramExchange(here, List.of());
        Channel tcp = connect(exchange);
        DatagramPeer peer = await(exchange.peer());
        DatagramPeer other = await(accepted());
        assertThat(peer.address()).isEqualTo(there.localAddress());
        assertThat(other.address()).isEqualTo(here.localAddress());
        assertThat(peer.maxDatagram()).isEqualTo(there.maxDatagram());
        assertThat(peer.memories()).isEqualTo(MEMORIES);
        assertThat(other.memories()).isEmpty();
        tcp.close().sync();
        here.writeAndFlush(new DefaultAddressedEnvelope<>(number(7), peer.address())).sync();
        assertThat(inbox.await()).isEqualTo(7);
        peer.close();
        peer.close();
        other.close();
    }

    /** Later bytes belong to the application. */
    @Test
    void connectionIsUsableAfterTheExchange() throws Exception {
        NumberInbox answers = new NumberInbox();
        DatagramExchange exchange = new DatagramExchange(here, MEMORIES);
        Channel tcp = connect(exchange, answers);
        await(exchange.peer()).close();
        tcp.writeAndFlush(number(5)).sync();
        assertThat(answers.await()).isEqualTo(5);
        assertThat(tcp.pipeline().context(exchange)).isNull();
        tcp.close().sync();
    }

    /** Keys are secrets: TLS hides them. */
    @Test
    void theExchangeWorksBehindTls() throws Exception {
        X509Bundle identity = localhost();
        SslContext server = SslContextBuilder.forServer(identity.toKeyManagerFactory()).build();
        SslContext client = SslContextBuilder.forClient().trustManager(identity.toTrustManagerFactory()).build();
        DatagramExchange accepting = new DatagramExchange(there, MEMORIES);
        Channel secure = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(server.newHandler(channel.alloc()), accepting);
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        DatagramExchange connecting = new DatagramExchange(here, List.of());
        Channel tcp = new Bootstrap().group(group).channel(EpollSocketChannel.class)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(client.newHandler(channel.alloc(), "localhost", 1), connecting);
                    }
                }).connect(secure.localAddress()).sync().channel();
        assertThat(await(connecting.peer()).memories()).isEqualTo(MEMORIES);
        assertThat(await(accepting.peer()).address()).isEqualTo(here.localAddress());
        tcp.close().sync();
    }

    /** There is no listener at first. Then there is one, behind TLS here too: the bootstrap's handler comes first. */
    @Test
    void clientRetriesUntilItsPeerListens() throws Exception {
        X509Bundle identity = localhost();
        SslContext client = SslContextBuilder.forClient().trustManager(identity.toTrustManagerFactory()).build();
        SslContext server = SslContextBuilder.forServer(identity.toKeyManagerFactory()).build();
        InetSocketAddress address = (InetSocketAddress) listener.localAddress();
        listener.close().sync();
        AtomicInteger attempts = new AtomicInteger();
        AtomicReference<Channel> connecting = new AtomicReference<>();
        AtomicReference<Channel> child = new AtomicReference<>();
        Future<DatagramPeer> peer = DatagramExchange.connect(tcp(new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                attempts.incrementAndGet();
                connecting.set(channel);
                channel.pipeline().addLast(client.newHandler(channel.alloc(), "localhost", 1));
            }
        }), address, here, List.of(), PATIENCE_MILLIS);
        Deadline.standard().until("some attempts", () -> attempts.get() > 2);
        assertThat(peer.isDone()).isFalse();
        new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        child.set(channel);
                        channel.pipeline().addLast(server.newHandler(channel.alloc()),
                                new DatagramExchange(there, MEMORIES));
                    }
                }).bind(address).sync();
        assertThat(await(peer).memories()).isEqualTo(MEMORIES);
        // The server has sent session tickets. A client that closes before it reads them resets the connection.
        child.get().close().sync();
        connecting.get().closeFuture().sync();
    }

    @Test
    void clientTimesOutWithoutAListener() throws Exception {
        listener.close().sync();
        Future<DatagramPeer> peer = DatagramExchange.connect(tcp(null), listener.localAddress(), here, List.of(), 0);
        assertThat(peer.await(PATIENCE_MILLIS)).isTrue();
        assertThat(peer.cause()).isInstanceOf(ConnectException.class);
    }

    private Bootstrap tcp(ChannelHandler handler) {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(EpollSocketChannel.class);
        return handler == null ? bootstrap : bootstrap.handler(handler);
    }

    private static X509Bundle localhost() throws Exception {
        return new CertificateBuilder().subject("CN=localhost").setIsCertificateAuthority(true)
                .addSanDnsName("localhost").buildSelfSigned();
    }

    /** Byte by byte, as a network may deliver it. */
    @Test
    void fragmentedRecordIsAccepted() throws Exception {
        NumberInbox own = new NumberInbox();
        Channel tcp = connect(own);
        ByteBuf record = Unpooled.buffer();
        record.writeInt(0x4e454641).writeByte(1).writeByte(0).writeShort(0);
        here.localAddress().encode(record);
        record.writeInt(100).writeShort(1).writeShort(0);
        MEMORIES.get(0).encode(record);
        while (record.isReadable()) {
            tcp.writeAndFlush(record.readRetainedSlice(1)).sync();
        }
        record.release();
        assertThat(own.await()).as("the other's record begins").isEqualTo(0x4e454641);
        tcp.writeAndFlush(bytes("01")).sync();
        DatagramPeer peer = await(accepted());
        assertThat(peer.address()).isEqualTo(here.localAddress());
        assertThat(peer.maxDatagram()).isEqualTo(100);
        assertThat(peer.memories()).containsExactly(MEMORIES.get(0));
        tcp.close().sync();
    }

    /** The connection ends, with a reason; the datagram channel goes on. */
    @ParameterizedTest
    @CsvSource({
        "474554202f20, and not what begins with 0x47455420",
        "4e45464102, version 2",
        "4e45464101000000 00000000000000000000000000000000 00000011 00000001 00000100 0000 0000, what cannot be",
        "4e45464101000000 fe800000000000000000000000000001 01000000 00000001 00000100 0000 0000, what cannot be",
        "4e45464101000000 fe800000000000000000000000000001 00000011 00000000 00000100 0000 0000, what cannot be",
        "4e45464101000000 fe800000000000000000000000000001 00000011 00000001 00000000 0000 0000, 0 bytes",
        "4e45464101000000 fe800000000000000000000000000001 00000011 00000001 00000100 0101 0000, 257 memories"
    })
    void invalidRecordEndsTheExchange(String hex, String reason) throws Exception {
        Channel tcp = connect(new NumberInbox());
        tcp.writeAndFlush(bytes(hex)).sync();
        Future<DatagramPeer> peer = accepted();
        assertThat(peer.await(PATIENCE_MILLIS)).isTrue();
        assertThat(peer.cause()).isInstanceOf(IOException.class).hasMessageContaining(reason);
        assertThat(tcp.closeFuture().await(PATIENCE_MILLIS)).isTrue();
        assertThat(there.isActive()).isTrue();
    }

    @Test
    void peerWithoutReadyEndsTheExchange() throws Exception {
        NumberInbox own = new NumberInbox();
        Channel tcp = connect(own);
        ByteBuf record = bytes("4e45464101000000");
        here.localAddress().encode(record);
        tcp.writeAndFlush(record.writeInt(100).writeInt(0)).sync();
        own.await();
        tcp.writeAndFlush(bytes("09")).sync();
        Future<DatagramPeer> peer = accepted();
        assertThat(peer.await(PATIENCE_MILLIS)).isTrue();
        assertThat(peer.cause()).isInstanceOf(IOException.class).hasMessageContaining("9 was said in place");
        assertThat(tcp.closeFuture().await(PATIENCE_MILLIS)).isTrue();
    }

    /** It cannot be ready before it has the record of this end. A peer that does not wait could fill the memory. */
    @Test
    void dataBeforeTheAnswerEndsTheExchange() throws Exception {
        Channel tcp = connect(new NumberInbox());
        ByteBuf record = bytes("4e45464101000000");
        here.localAddress().encode(record);
        tcp.writeAndFlush(record.writeInt(100).writeInt(0).writeByte(1)).sync();
        Future<DatagramPeer> peer = accepted();
        assertThat(peer.await(PATIENCE_MILLIS)).isTrue();
        assertThat(peer.cause()).isInstanceOf(IOException.class).hasMessageContaining("more was said");
    }

    @Test
    void exchangeReadsWithoutAutoRead() throws Exception {
        DatagramExchange exchange = new DatagramExchange(here, List.of());
        Channel tcp = new Bootstrap().group(group).channel(EpollSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false).handler(exchange).connect(listener.localAddress()).sync()
                .channel();
        await(exchange.peer()).close();
        await(accepted()).close();
        tcp.close().sync();
    }

    @Test
    void silentPeerTimesOut() throws Exception {
        DatagramExchange exchange = new DatagramExchange(here, List.of(), 50);
        Channel silent = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new NumberInbox()).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        new Bootstrap().group(group).channel(EpollSocketChannel.class).handler(exchange)
                .connect((InetSocketAddress) silent.localAddress()).sync();
        assertThat(exchange.peer().await(PATIENCE_MILLIS)).isTrue();
        assertThat(exchange.peer().cause()).isInstanceOf(IOException.class).hasMessageContaining("50 ms");
    }

    @Test
    void aPeerThatLeavesEndsTheExchange() throws Exception {
        connect(new NumberInbox()).close().sync();
        Future<DatagramPeer> peer = accepted();
        assertThat(peer.await(PATIENCE_MILLIS)).isTrue();
        // TCP may say it with a reset, because the record was not read.
        assertThat(peer.cause()).isInstanceOf(IOException.class);
    }

    @Test
    void theChannelMustBeBound() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DatagramExchange(new RdmaDatagramChannel(), List.of()));
    }

    private static ByteBuf number(int value) {
        return Unpooled.buffer(Integer.BYTES).writeInt(value);
    }

    private static ByteBuf bytes(String hex) {
        String digits = hex.replace(" ", "");
        ByteBuf bytes = Unpooled.buffer();
        for (int i = 0; i < digits.length(); i += 2) {
            bytes.writeByte(Integer.parseInt(digits.substring(i, i + 2), 16));
        }
        return bytes;
    }

    /** Keeps the first number of each message, of a stream or of datagrams. */
    private static final class NumberInbox extends ChannelInboundHandlerAdapter {

        private final Queue<Integer> arrived = new ConcurrentLinkedQueue<>();

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf content = message instanceof AddressedEnvelope<?, ?> envelope ? (ByteBuf) envelope.content()
                    : (ByteBuf) message;
            if (content.readableBytes() >= Integer.BYTES) {
                arrived.add(content.readInt());
            }
            content.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }

        int await() throws Exception {
            Deadline.standard().until("a message", () -> !arrived.isEmpty());
            return arrived.remove();
        }
    }

    /** Sends everything back. */
    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
