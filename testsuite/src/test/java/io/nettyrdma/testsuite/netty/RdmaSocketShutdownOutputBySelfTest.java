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
package io.nettyrdma.testsuite.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketShutdownOutputBySelfTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The original's peers are sockets; here they are channels that behave like them. All assertions are the same. */
@EachPermutation
class RdmaSocketShutdownOutputBySelfTest extends SocketShutdownOutputBySelfTest {

    @Parameter
    RdmaSocketTestPermutation permutation;

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return permutation.clientSocket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return permutation.allocators();
    }

    @Override
    protected SocketAddress newSocketAddress() {
        return permutation.address();
    }

    @Override
    public void testShutdownOutput(Bootstrap bootstrap) throws Throwable {
        Received received = new Received();
        try (BlockingPeer.Listener listener = new BlockingPeer.Listener(newSocketAddress())) {
            SocketChannel channel = connect(bootstrap.handler(received), listener);
            try (BlockingPeer peer = listener.accept()) {
                assertThat(channel.isOutputShutdown()).isFalse();
                channel.writeAndFlush(channel.alloc().buffer(1).writeByte(1)).sync();
                assertThat(peer.read()).isEqualTo(1);
                assertOpen(channel, false);

                channel.shutdownOutput().sync();
                assertThat(peer.read()).isEqualTo(-1);
                assertOpen(channel, true);

                // The other direction stays open.
                peer.write(1);
                assertThat(received.bytes.take()).isEqualTo((byte) 1);
            } finally {
                channel.close();
            }
        }
    }

    @Override
    public void testShutdownOutputAfterClosed(Bootstrap bootstrap) throws Throwable {
        try (BlockingPeer.Listener listener = new BlockingPeer.Listener(newSocketAddress())) {
            SocketChannel channel = connect(bootstrap.handler(new Received()), listener);
            try (BlockingPeer peer = listener.accept()) {
                assertThat(channel.isActive()).isTrue();
                channel.close().sync();
                assertThatThrownBy(() -> channel.shutdownInput().sync()).isInstanceOf(ClosedChannelException.class);
                assertThatThrownBy(() -> channel.shutdownOutput().sync()).isInstanceOf(ClosedChannelException.class);
                assertThat(peer.read()).isEqualTo(-1);
            }
        }
    }

    /** Netty has disabled the original. Here the loop writes, as a write from outside counts twice for a moment. */
    @Override
    @Test
    @Timeout(30)
    public void testWriteAfterShutdownOutputNoWritabilityChange(TestInfo info) throws Throwable {
        run(info, this::testWriteAfterShutdownOutputNoWritabilityChange);
    }

    @Override
    public void testWriteAfterShutdownOutputNoWritabilityChange(Bootstrap bootstrap) throws Throwable {
        Received received = new Received();
        byte[] bytes = { 1, 2, 3, 4, 5, 6 };
        bootstrap.option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(2, 4)).handler(received);
        try (BlockingPeer.Listener listener = new BlockingPeer.Listener(newSocketAddress())) {
            SocketChannel channel = connect(bootstrap, listener);
            try (BlockingPeer peer = listener.accept()) {
                assertOpen(channel, false);
                ChannelFuture written =
                        channel.eventLoop().submit(() -> channel.write(Unpooled.wrappedBuffer(bytes))).get();
                assertThat(received.writability.take()).isFalse();
                channel.flush();
                written.sync();
                assertThat(received.writability.take()).isTrue();
                for (byte each : bytes) {
                    assertThat(peer.read()).isEqualTo(each);
                }
                assertOpen(channel, false);

                channel.shutdownOutput().sync();
                assertThat(peer.read()).isEqualTo(-1);
                assertOpen(channel, true);
                assertThatThrownBy(() -> channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[2])).sync())
                        .isInstanceOf(ClosedChannelException.class);
                // After everything else in the loop's queue.
                channel.eventLoop().submit(() -> { }).sync();
                assertThat(received.writability).isEmpty();
            } finally {
                channel.close();
            }
        }
    }

    @Override
    public void testShutdownOutputSoLingerNoAssertError(Bootstrap bootstrap) throws Throwable {
        shutdownWithLinger(bootstrap, SocketChannel::shutdownOutput);
    }

    @Override
    public void testShutdownSoLingerNoAssertError(Bootstrap bootstrap) throws Throwable {
        shutdownWithLinger(bootstrap, SocketChannel::shutdown);
    }

    private void shutdownWithLinger(Bootstrap bootstrap, Function<SocketChannel, ChannelFuture> how)
            throws Exception {
        bootstrap.option(ChannelOption.SO_LINGER, 1).handler(new ChannelInboundHandlerAdapter());
        try (BlockingPeer.Listener listener = new BlockingPeer.Listener(newSocketAddress())) {
            SocketChannel channel = connect(bootstrap, listener);
            try (BlockingPeer peer = listener.accept()) {
                how.apply(channel).sync();
                assertThat(peer.read()).isEqualTo(-1);
            } finally {
                channel.close();
            }
        }
    }

    private static SocketChannel connect(Bootstrap bootstrap, BlockingPeer.Listener listener)
            throws InterruptedException {
        return (SocketChannel) bootstrap.connect(listener.address()).sync().channel();
    }

    private static void assertOpen(SocketChannel channel, boolean isOutputShutdown) {
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.isActive()).isTrue();
        assertThat(channel.isInputShutdown()).isFalse();
        assertThat(channel.isOutputShutdown()).isEqualTo(isOutputShutdown);
    }

    private static final class Received extends SimpleChannelInboundHandler<ByteBuf> {

        private final BlockingQueue<Byte> bytes = new LinkedBlockingQueue<>();
        private final BlockingQueue<Boolean> writability = new LinkedBlockingQueue<>();

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            bytes.add(message.readByte());
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            writability.add(context.channel().isWritable());
        }
    }
}
