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
import io.netty.channel.socket.DuplexChannel;

import java.util.concurrent.TimeUnit;

/** Writes while the channel is writable, for some time. Then the server reports how many bytes it has received. */
final class OneWayHandler extends MeasuringHandler implements Runnable {

    private final long nanos;
    private ChannelHandlerContext context;
    private long start;
    private long sent;
    private boolean scheduled;
    private boolean ended;

    OneWayHandler(int size, long nanos) {
        super(size);
        this.nanos = nanos;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        start = System.nanoTime();
        schedule();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        schedule();
    }

    /** Continues in a new task after each flush, because a channel may stay writable without end. */
    private void schedule() {
        if (!scheduled && !ended && context != null && context.channel().isWritable()) {
            scheduled = true;
            context.channel().eventLoop().execute(this);
        }
    }

    @Override
    public void run() {
        while (context.channel().isWritable()) {
            context.write(message(), context.voidPromise());
            sent += size();
        }
        context.flush();
        scheduled = false;
        if (System.nanoTime() - start >= nanos) {
            end();
        } else {
            schedule();
        }
    }

    /** The last message has a promise, because shutdownOutput() loses messages that are flushed and not sent. */
    private void end() {
        ended = true;
        sent += size();
        context.writeAndFlush(message()).addListener(written -> {
            if (written.isSuccess()) {
                ((DuplexChannel) context.channel()).shutdownOutput();
            } else {
                result().completeExceptionally(written.cause());
            }
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object received) {
        long elapsed = System.nanoTime() - start;
        ByteBuf answer = (ByteBuf) received;
        long counted = answer.readLong();
        answer.release();
        if (counted != sent) {
            result().completeExceptionally(
                    new IllegalStateException(sent + " bytes were sent, " + counted + " have come"));
            return;
        }
        double seconds = (double) elapsed / TimeUnit.SECONDS.toNanos(1);
        result().complete(new Figure(sent / seconds / (1 << 20), sent / seconds / size(), 0, sent / seconds / size()));
    }
}
