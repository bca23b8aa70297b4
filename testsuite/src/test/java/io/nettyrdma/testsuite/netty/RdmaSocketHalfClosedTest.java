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
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import org.junit.jupiter.params.Parameter;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

@EachPermutation
class RdmaSocketHalfClosedTest extends SocketHalfClosedTest {

    private static final int BYTES = 100;

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

    /**
     * The original's writer blocks its loop until the peer is gone, and writes then. This one does not block its loop,
     * and does not read meanwhile; everything after that is the same.
     */
    @Override
    @Deviates(because = "a loop hears of the peer's end when it polls, and it does not while a handler blocks it",
            sees = "a write in the same turn of a blocked loop is reported as written; each one after that fails")
    public void testAutoCloseFalseDoesShutdownOutput(ServerBootstrap server, Bootstrap client) throws Throwable {
        if (Ends.areByTcp()) {
            super.testAutoCloseFalseDoesShutdownOutput(server, client);
            return;
        }
        for (boolean halfClosure : new boolean[] { false, true }) {
            for (boolean clientLeads : new boolean[] { false, true }) {
                autoCloseFalseDoesShutdownOutput(server.clone(), client.clone(), halfClosure, clientLeads);
            }
        }
    }

    private static void autoCloseFalseDoesShutdownOutput(ServerBootstrap server, Bootstrap client, boolean halfClosure,
                                                         boolean clientLeads) throws Exception {
        Leader leader = new Leader();
        Follower follower = new Follower();
        server.childOption(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure).childOption(ChannelOption.AUTO_CLOSE, false)
                .childOption(ChannelOption.SO_LINGER, 0).childHandler(clientLeads ? follower : leader);
        client.option(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure).option(ChannelOption.AUTO_CLOSE, false)
                .option(ChannelOption.SO_LINGER, 0).handler(clientLeads ? leader : follower);
        Channel listener = server.bind().sync().channel();
        try {
            client.connect(listener.localAddress()).sync();
            Channel leading = leader.active.get();
            leading.writeAndFlush(leading.alloc().buffer().writeZero(BYTES)).sync();
            follower.closed.get();

            ChannelFuture written;
            do {
                written = leading.writeAndFlush(leading.alloc().buffer().writeZero(BYTES)).await();
            } while (written.isSuccess());
            assertThat(written.cause()).isInstanceOf(IOException.class);
            assertThat(leader.outputShutdown.get()).isTrue();
            assertThat(leading.isOpen()).isTrue();

            // Earlier data of the peer can still be read.
            leading.config().setAutoRead(true);
            leader.readAll.get();
            leading.closeFuture().sync();
        } finally {
            listener.close().sync();
        }
    }

    /** Writes, and reads on request. */
    private static final class Leader extends SimpleChannelInboundHandler<ByteBuf> {

        private final CompletableFuture<Channel> active = new CompletableFuture<>();
        private final CompletableFuture<Boolean> outputShutdown = new CompletableFuture<>();
        private final CompletableFuture<Boolean> readAll = new CompletableFuture<>();
        private int missing = BYTES;

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(false);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            active.complete(context.channel());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            missing -= message.readableBytes();
            if (missing == 0) {
                readAll.complete(true);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelOutputShutdownEvent) {
                outputShutdown.complete(true);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** Answers and closes. */
    private static final class Follower extends SimpleChannelInboundHandler<ByteBuf> {

        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private int missing = BYTES;

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            missing -= message.readableBytes();
            if (missing == 0) {
                context.writeAndFlush(context.alloc().buffer().writeZero(BYTES)).addListener(written ->
                        context.close().addListener(done -> closed.complete(null)));
            }
        }
    }
}
