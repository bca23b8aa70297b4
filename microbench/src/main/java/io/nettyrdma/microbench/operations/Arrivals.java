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
package io.nettyrdma.microbench.operations;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.remote.RdmaImmediate;

import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;

/** Sees the operations of the peer that are answered, on the event loop. */
final class Arrivals extends ChannelInboundHandlerAdapter {

    private final CompletableFuture<?> failure;
    private Operation operation;
    private int size;
    private Runnable onArrival;
    private int bytes;
    private long count;

    /** @param failure fails with the channel. */
    Arrivals(CompletableFuture<?> failure) {
        this.failure = failure;
    }

    void begin(Operation expected, int expectedSize, Runnable then) {
        operation = expected;
        size = expectedSize;
        onArrival = then;
        count = 0;
    }

    /** Operations that have come since the beginning. */
    long count() {
        return count;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        bytes += buffer.readableBytes();
        buffer.release();
        int expected = operation.messageBytes(size);
        if (bytes > expected) {
            throw new IllegalStateException(bytes + " bytes came instead of " + expected);
        }
        if (bytes == expected) {
            bytes = 0;
            arrived();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof RdmaImmediate immediate) {
            if (operation != Operation.WRITE_WITH_IMMEDIATE || immediate.value() != size) {
                throw new IllegalStateException(immediate + " came");
            }
            arrived();
        }
    }

    private void arrived() {
        count++;
        onArrival.run();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        failure.completeExceptionally(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure.completeExceptionally(cause);
    }
}
