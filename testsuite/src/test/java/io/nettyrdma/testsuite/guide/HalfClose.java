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
package io.nettyrdma.testsuite.guide;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.nettyrdma.channel.RdmaChannel;

/** Snippets of docs/guide.md: a client that ends its request by shutting down its output. */
final class HalfClose {

    private HalfClose() {
    }

    /** Needs childOption(ChannelOption.ALLOW_HALF_CLOSURE, true). */
    static class ByteCounter extends SimpleChannelInboundHandler<ByteBuf> {
        private long bytes;

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            bytes += message.readableBytes();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                context.writeAndFlush(context.alloc().buffer().writeLong(bytes))
                        .addListener(ChannelFutureListener.CLOSE);
            }
        }
    }

    static ChannelFuture sendAll(RdmaChannel channel, ByteBuf request) {
        channel.writeAndFlush(request);
        return channel.shutdownOutput();       // behind what was flushed; messages without a flush are dropped
    }
}
