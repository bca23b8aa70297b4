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
package io.nettyrdma.testsuite.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.testsuite.support.Pattern;

import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** A client that writes messages of random sizes and compares received bytes with {@link Pattern}. */
final class Talker extends Load.Failing {

    private static final int DOUBLINGS = 15;

    private final Random random;
    private final Promises promises;
    private final long ahead;
    private final Pattern written = new Pattern();
    private final Pattern expected = new Pattern();
    private final Queue<ByteBuf> messages = new ConcurrentLinkedQueue<>();
    private volatile int left;
    private volatile long sent;
    private volatile long received;
    private volatile AssertionError difference;
    private volatile long abortsAfter = Long.MAX_VALUE;
    private ChannelFuture connected;

    /**
     * @param count the number of messages.
     * @param ahead the number of bytes that it may have written that have not been echoed.
     */
    Talker(long seed, Promises promises, int count, long ahead) {
        random = new Random(seed);
        this.promises = promises;
        this.ahead = ahead;
        left = count;
    }

    void connected(ChannelFuture future) {
        connected = future;
    }

    ChannelFuture connected() {
        return connected;
    }

    Channel channel() {
        return connected.channel();
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        talk(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            expected.expect(buffer);
        } catch (AssertionError e) {
            difference = e;
        } finally {
            buffer.release();
        }
        received = expected.position();
        abortIfItIsTime(context.channel());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        talk(context);
    }

    /** Aborts the connection when that many bytes, or all, have been echoed. */
    void abortAfter(long bytes) {
        abortsAfter = bytes;
        connected.addListener(done -> abortIfItIsTime(channel()));
    }

    private void abortIfItIsTime(Channel channel) {
        if (received >= abortsAfter || abortsAfter < Long.MAX_VALUE && isDone()) {
            Load.abort(channel);
        }
    }

    private void talk(ChannelHandlerContext context) {
        while (left > 0 && sent - received < ahead) {
            byte[] bytes = written.next((int) Math.pow(2, random.nextDouble() * DOUBLINGS));
            ByteBuf message = random.nextBoolean() ? Unpooled.wrappedBuffer(bytes)
                    : context.alloc().directBuffer(bytes.length).writeBytes(bytes);
            messages.add(message);
            sent += bytes.length;
            left--;
            context.write(message, promises.next(context.channel()));
        }
        context.flush();
    }

    long received() {
        return received;
    }

    /** Whether nothing more will arrive. */
    boolean isDone() {
        return hasEnded() || left == 0 && received == sent && connected.isSuccess();
    }

    boolean hasEnded() {
        return channel().closeFuture().isDone();
    }

    /** Asserts that the fault did not affect its connection: everything was echoed. */
    void assertIsWhole() {
        assertThat(connected.cause()).as("why %s was not connected", this).isNull();
        assertThat(left).as("messages that %s has not sent", this).isZero();
        assertThat(received).as("bytes that came back to %s", this).isEqualTo(sent);
    }

    @Override
    public String toString() {
        return channel() + ", " + sent + " bytes sent, " + received + " received, " + left + " messages left";
    }

    /** Call when the connection has ended. */
    void assertLeavesNothing() {
        assertThat(difference).as("what came to %s, and was not sent", this).isNull();
        assertThat(messages).as("messages of %s", this).allMatch(message -> message.refCnt() == 0);
    }
}
