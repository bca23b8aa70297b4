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
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaDatagramChannel;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Two datagram channels on one busy loop or two, the second of which sends everything back. */
final class DatagramPair implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 20;

    private final EventLoopGroup group;
    private final Channel client;
    private final Asker asker = new Asker();

    DatagramPair(DatagramKind kind, LocalPort port, int loops) throws Exception {
        group = kind.newGroup(loops);
        client = kind.bootstrap(group, port).handler(asker).bind(kind.anyAddress(port)).sync().channel();
        Channel server = kind.bootstrap(group, port).handler(new Answerer())
                .bind(kind.anyAddress(port)).sync().channel();
        client.connect(server.localAddress()).sync();
        server.connect(client.localAddress()).sync();
        if (client instanceof RdmaDatagramChannel one && server instanceof RdmaDatagramChannel other) {
            // A device that names senders by their handles needs them.
            one.prepare(other.localAddress()).sync();
            other.prepare(one.localAddress()).sync();
        }
    }

    /**
     * Sends datagrams and awaits their answers.
     *
     * @param window datagrams in flight.
     * @return the time between two answers, in microseconds: the median of slices.
     */
    double micros(int size, int window, long nanos) throws Exception {
        CompletableFuture<Double> result = new CompletableFuture<>();
        client.eventLoop().execute(() -> asker.begin(client, size, window, nanos, result));
        return result.get(TimeUnit.NANOSECONDS.toSeconds(nanos) + PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static ByteBuf content(Object message) {
        return (ByteBuf) ((AddressedEnvelope<?, ?>) message).content();
    }

    /** Sends what it has received. */
    private static final class Answerer extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(content(message), context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Sends a datagram for each that comes, for some time. */
    private static final class Asker extends ChannelInboundHandlerAdapter {

        private int size;
        private int slice;
        private Slices slices;
        private CompletableFuture<Double> result;
        private int count;
        private int inFlight;
        private boolean ending;

        void begin(Channel channel, int bytes, int window, long nanos, CompletableFuture<Double> completion) {
            size = bytes;
            // A round trip is a slice of its own.
            slice = window == 1 ? 1 : 2 * window;
            result = completion;
            count = 0;
            inFlight = window;
            ending = false;
            slices = new Slices(nanos);
            for (int i = 0; i < window; i++) {
                channel.write(datagram(channel));
            }
            channel.flush();
        }

        private ByteBuf datagram(Channel channel) {
            return channel.alloc().directBuffer(size, size).writerIndex(size);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (content(message).readableBytes() != size) {
                result.completeExceptionally(new IllegalStateException("a datagram of " + size + " bytes came back"
                        + " with " + content(message).readableBytes()));
            }
            content(message).release();
            inFlight--;
            count++;
            if (!ending && count % slice == 0) {
                ending = !slices.next();
            }
            if (!ending) {
                inFlight++;
                context.write(datagram(context.channel()), context.voidPromise());
            } else if (inFlight == 0) {
                result.complete(slices.micros() / slice);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            result.completeExceptionally(cause);
        }
    }
}
