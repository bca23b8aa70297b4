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
package io.nettyrdma.testsuite.fallback;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcp.Transport;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** A program acts while its connect is tried by RDMA, and the server has not answered. TCP would connect. */
@Tag("device")
class BetweenAttemptsTest {

    /** RDMA is tried until the test goes on. */
    private static final int LONG_MILLIS = 60_000;
    private static final int SHORT_MILLIS = Deadline.scaledMillis(50);
    private static final WriteBufferWaterMark LOW = new WriteBufferWaterMark(1, 2);

    private final OnePort port = new OnePort();
    private final Recorder recorder = new Recorder();
    private Channel tcp;
    private RdmaServerChannel rdma;

    @BeforeEach
    void listen() {
        TestDevice.get().assumeThreeWayHandshake();
        tcp = port.listenByTcp();
        rdma = port.addSilentRdma(tcp.localAddress());
    }

    @AfterEach
    void end() {
        port.close();
    }

    /** Returns when the request has reached the server. */
    private ChannelFuture beginConnect(Bootstrap client) throws Exception {
        ChannelFuture connect = client.connect(tcp.localAddress());
        Deadline.standard().until("a request", () -> rdma.waitingRequests() == 1);
        assertThat(connect.isDone()).isFalse();
        assertThat(RdmaOrTcp.transport(connect.channel())).isNull();
        return connect;
    }

    private ChannelFuture beginLongConnect() throws Exception {
        return beginConnect(port.client(recorder).option(RdmaOrTcpOption.HEAD_START_MILLIS, LONG_MILLIS));
    }

    /** Reads the requests that wait. What has left it is not announced; nothing has come by TCP. */
    private void assertLeavesNoTrace(Channel client) throws Exception {
        assertThat(client.closeFuture().await(OnePort.PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(recorder.events()).isEmpty();
        rdma.config().setAutoRead(true);
        Recorder next = new Recorder();
        Channel another = OnePort.assertIsEchoed(port.client(next).connect(tcp.localAddress()), next);
        port.assertEndsWith(another, next);
    }

    @Test
    void connectThatIsCancelledCloses() throws Exception {
        ChannelFuture connect = beginLongConnect();
        assertThat(connect.cancel(false)).isTrue();
        assertThat(connect.cause()).isInstanceOf(CancellationException.class);
        assertLeavesNoTrace(connect.channel());
    }

    @Test
    void connectOfAChannelThatIsClosedFails() throws Exception {
        ChannelFuture connect = beginLongConnect();
        ChannelFuture write = connect.channel().writeAndFlush(Unpooled.wrappedBuffer(OnePort.BYTES));
        connect.channel().close().sync();
        assertThat(connect.await().cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(write.await().cause()).isInstanceOf(ClosedChannelException.class);
        assertLeavesNoTrace(connect.channel());
    }

    @Test
    void connectOfALoopThatEndsFails() throws Exception {
        // Not that of the server, which refuses the request when it ends.
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, RdmaOrTcp.newIoHandlerFactory());
        ChannelFuture connect = beginConnect(port.client(recorder).clone(loops)
                .option(RdmaOrTcpOption.HEAD_START_MILLIS, LONG_MILLIS));
        loops.shutdownGracefully(0, OnePort.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
        assertThat(connect.await().cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(connect.channel().isOpen()).isFalse();
        port.assertHasNoChild();
    }

    @Test
    void connectTimeoutIsThatOfBothAttempts() throws Exception {
        ChannelFuture connect = port.client(recorder).option(RdmaOrTcpOption.HEAD_START_MILLIS, LONG_MILLIS)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, SHORT_MILLIS).connect(tcp.localAddress());
        assertThat(connect.await().cause()).isInstanceOf(ConnectTimeoutException.class);
        assertLeavesNoTrace(connect.channel());
    }

    @Test
    void anotherConnectFailsAndTheFirstGoesOn() throws Exception {
        ChannelFuture connect = beginLongConnect();
        assertThat(connect.channel().connect(tcp.localAddress()).await().cause())
                .isInstanceOf(ConnectionPendingException.class);
        rdma.read();
        assertThat(RdmaOrTcp.transport(OnePort.assertIsEchoed(connect, recorder))).isEqualTo(Transport.RDMA);
        port.assertEndsWith(connect.channel(), recorder);
    }

    @Test
    void channelStaysOnItsLoop() throws Exception {
        ChannelFuture connect = beginLongConnect();
        assertThat(connect.channel().deregister().await().cause()).isInstanceOf(UnsupportedOperationException.class);
        rdma.read();
        OnePort.assertIsEchoed(connect, recorder);
        port.assertEndsWith(connect.channel(), recorder);
    }

    @Test
    void optionThatIsSetReachesTheChannelByRdma() throws Exception {
        ChannelFuture connect = beginLongConnect();
        connect.channel().config().setWriteBufferWaterMark(LOW);
        rdma.read();
        RdmaOrTcpChannel channel = (RdmaOrTcpChannel) OnePort.assertIsEchoed(connect, recorder);
        assertThat(channel.current().config().getWriteBufferWaterMark()).isEqualTo(LOW);
        port.assertEndsWith(channel, recorder);
    }

    /** Before the transport is chosen they count for the writability, and they arrive in order by either. */
    @Test
    void writesWaitForRdma() throws Exception {
        rdma.config().setAutoRead(true);
        assertThat(transportOfWrites(LONG_MILLIS)).isEqualTo(Transport.RDMA);
    }

    @Test
    void writesWaitForTcp() throws Exception {
        assertThat(transportOfWrites(SHORT_MILLIS)).isEqualTo(Transport.TCP);
    }

    private Transport transportOfWrites(int headStartMillis) throws Exception {
        Channel channel = port.client(recorder).option(RdmaOrTcpOption.HEAD_START_MILLIS, headStartMillis)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, LOW).register().sync().channel();
        // In one task, so that the connect is not over before.
        ChannelFuture last = channel.eventLoop().submit(() -> {
            channel.connect(tcp.localAddress());
            channel.write(Unpooled.wrappedBuffer(OnePort.BYTES, 0, 1), channel.voidPromise());
            channel.writeAndFlush(Unpooled.wrappedBuffer(OnePort.BYTES, 1, 1), channel.voidPromise());
            assertThat(channel.isWritable()).isFalse();
            return channel.write(Unpooled.wrappedBuffer(OnePort.BYTES, 2, 1));
        }).sync().getNow();
        Deadline.standard().until("the echo of what was flushed", () -> recorder.count() == OnePort.BYTES.length - 1);
        assertThat(last.isDone()).isFalse();
        channel.flush();
        last.sync();
        Deadline.standard().until("the echo", () -> recorder.count() == OnePort.BYTES.length);
        assertThat(recorder.bytes()).containsExactly(OnePort.BYTES);
        Deadline.standard().until("a writable channel", channel::isWritable);
        port.assertEndsWith(channel, recorder);
        return RdmaOrTcp.transport(channel);
    }

    /** The listener runs while the messages are passed on: TCP writes at once. */
    @Test
    void writeOfAListenerComesBehindWhatWaits() throws Exception {
        Channel channel = port.client(recorder).option(RdmaOrTcpOption.HEAD_START_MILLIS, SHORT_MILLIS).register()
                .sync().channel();
        channel.eventLoop().submit(() -> {
            channel.connect(tcp.localAddress());
            channel.writeAndFlush(Unpooled.wrappedBuffer(OnePort.BYTES, 0, 1)).addListener(written ->
                    channel.writeAndFlush(Unpooled.wrappedBuffer(OnePort.BYTES, 2, 1)));
            channel.write(Unpooled.wrappedBuffer(OnePort.BYTES, 1, 1));
        }).sync();
        Deadline.standard().until("the echo", () -> recorder.count() == OnePort.BYTES.length);
        assertThat(recorder.bytes()).containsExactly(OnePort.BYTES);
        port.assertEndsWith(channel, recorder);
    }

    /** The first connect had fallen back to TCP, and has failed. */
    @Test
    void secondConnectOfAChannelTriesRdmaAgain() throws Exception {
        Channel channel = port.client(recorder).register().sync().channel();
        assertThat(channel.connect(InetSocketAddress.createUnresolved("peer.example", 1)).await().cause())
                .isInstanceOf(UnresolvedAddressException.class);
        rdma.config().setAutoRead(true);
        OnePort.assertIsEchoed(channel.connect(tcp.localAddress()), recorder);
        assertThat(RdmaOrTcp.transport(channel)).isEqualTo(Transport.RDMA);
        port.assertEndsWith(channel, recorder);
    }
}
