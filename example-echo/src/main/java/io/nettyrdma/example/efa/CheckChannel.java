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
package io.nettyrdma.example.efa;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;

import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A channel of the end that asks. Used by one thread. */
final class CheckChannel implements AutoCloseable {

    private final BlockingQueue<ByteBuf> answers = new LinkedBlockingQueue<>();
    private final CheckTime time;
    private final EfaDatagramChannel channel;
    private int number;

    CheckChannel(Bootstrap bootstrap, String adapter, CheckTime time) throws Exception {
        this.time = time;
        ChannelFuture bound = bootstrap.channel(EfaDatagramChannel.class).handler(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                answers.add((ByteBuf) ((AddressedEnvelope<?, ?>) message).content());
            }
        }).bind(DatagramAddress.any(adapter));
        time.await(bound);
        channel = (EfaDatagramChannel) bound.channel();
    }

    EfaDatagramChannel channel() {
        return channel;
    }

    ChannelFuture send(DatagramAddress to, Object content) {
        return channel.writeAndFlush(new DefaultAddressedEnvelope<>(content, to));
    }

    /** A number for a question, or for an immediate that is one. */
    int nextNumber() {
        return ++number;
    }

    /** @return the answer's body, to be released. */
    ByteBuf ask(DatagramAddress to, CheckMessage what, ByteBuf body) throws Exception {
        int asked = nextNumber();
        send(to, what, asked, body);
        return answer(asked, what, time.millis());
    }

    void send(DatagramAddress to, CheckMessage what, int asked, ByteBuf body) throws Exception {
        ByteBuf message = channel.alloc().directBuffer(CheckMessage.HEADER + body.readableBytes());
        time.await(send(to, what.begin(message, asked).writeBytes(body, body.readerIndex(), body.readableBytes())));
    }

    /** Waits for the answer; others are late and are ignored. */
    ByteBuf answer(int asked, CheckMessage what, int millis) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (true) {
            ByteBuf next = answers.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (next == null) {
                throw new IOException("it was sent, and no answer came within " + millis + " ms");
            }
            if (next.readableBytes() >= CheckMessage.HEADER && next.readInt() == asked
                    && CheckMessage.read(next) == what) {
                return next;
            }
            next.release();
        }
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly(TimeUnit.SECONDS.toMillis(1));
        answers.forEach(ReferenceCountUtil::release);
    }
}
