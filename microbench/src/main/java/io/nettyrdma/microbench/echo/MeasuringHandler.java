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
package io.nettyrdma.microbench.echo;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;

/** The client's handler. Sends the same buffer again and again, so that messages need no allocation. */
abstract class MeasuringHandler extends ChannelInboundHandlerAdapter {

    private final CompletableFuture<Figure> result = new CompletableFuture<>();
    private final int size;
    private ByteBuf message;
    private ChannelHandlerContext context;

    MeasuringHandler(int size) {
        this.size = size;
    }

    final int size() {
        return size;
    }

    /** Completes with the figures of the measurement. */
    final CompletableFuture<Figure> result() {
        return result;
    }

    /** A duplicate for each write, because the channel moves its reader index. Duplicates are pooled. */
    final ByteBuf message() {
        if (message == null) {
            message = context.alloc().directBuffer(size).writeZero(size);
        }
        return message.retainedDuplicate();
    }

    /** The message is made when the channel is active: one that may use either transport has its allocator then. */
    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        result.completeExceptionally(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        result.completeExceptionally(cause);
        caught.close();
    }
}
