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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.buffer.ByteBuf;
import io.netty.util.Version;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.io.RdmaIoHandler;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program of a user: one message to a server and back, on artifacts that a build tool has resolved. */
public final class StagedEcho {

    private static final String TEXT = "staged";

    private StagedEcho() {
    }

    public static void main(String[] arguments) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        CompletableFuture<String> answer = new CompletableFuture<>();
        try {
            Channel server = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                    .childHandler(new Echo()).bind(DeviceAddress.forLocalUse().address(), 0).sync().channel();
            Channel client = new Bootstrap().group(group).channel(RdmaChannel.class).handler(new Answer(answer))
                    .connect(server.localAddress()).sync().channel();
            client.writeAndFlush(Unpooled.copiedBuffer(TEXT, StandardCharsets.US_ASCII));
            if (!TEXT.equals(answer.get(30, TimeUnit.SECONDS))) {
                throw new IllegalStateException("the server answered " + answer.get());
            }
            System.out.println("echo over " + ((RdmaChannel) client).device().name() + ", Netty "
                    + Version.identify().get("netty-transport").artifactVersion());
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        public boolean isSharable() {
            return true;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {

        private final CompletableFuture<String> answer;
        private final StringBuilder received = new StringBuilder();

        Answer(CompletableFuture<String> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            received.append(message.toString(StandardCharsets.US_ASCII));
            if (received.length() >= TEXT.length()) {
                answer.complete(received.toString());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            answer.completeExceptionally(cause);
        }
    }
}
