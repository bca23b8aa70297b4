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
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import org.junit.jupiter.params.Parameter;

import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

@EachPermutation
class RdmaSocketDataReadInitialStateTest extends SocketDataReadInitialStateTest {

    private static final int SOME_TIME_MILLIS = 100;

    @Parameter
    RdmaSocketTestPermutation permutation;

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return permutation.socket();
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
    @Deviates(because = "a queue pair completes its work on one loop, and the program chooses that when it accepts",
            sees = "a connection is not established before the listening channel is read; connecting waits for that")
    public void testAutoReadOffNoDataReadUntilReadCalled(ServerBootstrap server, Bootstrap client) throws Throwable {
        if (Ends.areByTcp()) {
            super.testAutoReadOffNoDataReadUntilReadCalled(server, client);
            return;
        }
        BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
        BlockingQueue<Boolean> readByServer = new LinkedBlockingQueue<>();
        BlockingQueue<Boolean> readByClient = new LinkedBlockingQueue<>();
        server.option(ChannelOption.AUTO_READ, false).childOption(ChannelOption.AUTO_READ, false);
        client.option(ChannelOption.AUTO_READ, false);
        server.childHandler(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                accepted.add(context.channel());
            }

            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                context.writeAndFlush(message.retainedDuplicate());
                readByServer.add(true);
            }
        });
        client.handler(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                readByClient.add(true);
            }
        });
        Channel listener = server.bind().sync().channel();
        ChannelFuture connecting = client.connect(listener.localAddress());
        Channel connected = connecting.channel();
        try {
            // Leaves time for what must not happen, as in the original; here and below.
            assertThat(accepted.poll(SOME_TIME_MILLIS, TimeUnit.MILLISECONDS)).isNull();
            assertThat(connecting.isDone()).isFalse();
            listener.read();
            Channel child = accepted.take();
            connecting.sync();
            connected.writeAndFlush(connected.alloc().buffer().writeZero(1)).sync();
            assertThat(readByServer.poll(SOME_TIME_MILLIS, TimeUnit.MILLISECONDS)).isNull();
            child.read();
            assertThat(readByServer.take()).isTrue();
            assertThat(readByClient.poll(SOME_TIME_MILLIS, TimeUnit.MILLISECONDS)).isNull();
            connected.read();
            assertThat(readByClient.take()).isTrue();
        } finally {
            listener.close().sync();
            connected.close().sync();
        }
    }
}
