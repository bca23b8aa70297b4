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

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;

import java.util.concurrent.TimeUnit;

/** Writes while the channel is writable, for some time, and then shuts down the output. */
abstract class StreamHandler extends MeasuringHandler {

    private final long nanos;
    private ChannelHandlerContext context;
    private long start;
    private long sent;
    private boolean ended;

    StreamHandler(int size, long nanos) {
        super(size);
        this.nanos = nanos;
    }

    /** Writes now, or soon: the channel may have become writable. */
    abstract void proceed();

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        start = System.nanoTime();
        proceed();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        if (context != null) {
            proceed();
        }
    }

    final ChannelHandlerContext context() {
        return context;
    }

    final boolean canWrite() {
        return !ended && context.channel().isWritable();
    }

    final long sent() {
        return sent;
    }

    /** Fills the channel and flushes it. The last time, it ends the stream. */
    final void writeAll() {
        while (canWrite()) {
            context.write(message(), context.voidPromise());
            sent += size();
        }
        context.flush();
        if (!ended && System.nanoTime() - start >= nanos) {
            end();
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

    /** Ends the measurement if all bytes are counted, or else fails. */
    final void complete(long counted) {
        long elapsed = System.nanoTime() - start;
        if (counted != sent) {
            result().completeExceptionally(
                    new IllegalStateException(sent + " bytes were sent, " + counted + " have come"));
            return;
        }
        double seconds = (double) elapsed / TimeUnit.SECONDS.toNanos(1);
        result().complete(new Figure(sent / seconds / size(), sent / seconds / (1 << 20), sent / seconds / size()));
    }
}
