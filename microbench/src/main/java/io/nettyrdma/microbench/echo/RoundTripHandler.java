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

/** Sends the next message when all bytes of the last are back. */
final class RoundTripHandler extends MeasuringHandler {

    /** The warm-up takes this part of the time: the first messages of a connection are slow. */
    private static final int WARMUP_PARTS = 5;

    private final long nanos;
    private final Samples samples = Samples.take();
    private int missing;
    private long measureFrom;
    private long end;
    private long sentAt;

    RoundTripHandler(int size, long nanos) {
        super(size);
        this.nanos = nanos;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        long now = System.nanoTime();
        measureFrom = now + nanos / WARMUP_PARTS;
        end = measureFrom + nanos;
        send(context, now);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
        ByteBuf buffer = (ByteBuf) received;
        missing -= buffer.readableBytes();
        buffer.release();
        if (missing == 0) {
            answered(context, System.nanoTime());
        }
    }

    private void answered(ChannelHandlerContext context, long now) {
        if (sentAt - measureFrom >= 0) {
            samples.add(now - sentAt);
        }
        if (samples.isEmpty() || now - end < 0 && !samples.isFull()) {
            send(context, now);
        } else {
            result().complete(samples.figure());
            samples.give();
        }
    }

    private void send(ChannelHandlerContext context, long now) {
        sentAt = now;
        missing = size();
        context.writeAndFlush(message(), context.voidPromise());
    }
}
