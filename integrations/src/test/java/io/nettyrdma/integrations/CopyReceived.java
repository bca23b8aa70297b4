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
package io.nettyrdma.integrations;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Vert.x releases what it receives only if it comes from one of Netty's own allocators. First in the pipeline of a
 * channel, or of a server for all its children.
 */
@ChannelHandler.Sharable
final class CopyReceived extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof Channel child) {
            child.pipeline().addFirst(this);
        } else if (message instanceof ByteBuf received) {
            try {
                context.fireChannelRead(context.alloc().buffer(received.readableBytes()).writeBytes(received));
            } finally {
                received.release();
            }
            return;
        }
        context.fireChannelRead(message);
    }

    /** Its HTTP client empties the pipeline of a new connection. */
    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (context.channel().isActive()) {
            context.pipeline().addFirst(this);
        }
    }
}
