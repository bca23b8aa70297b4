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
package io.nettyrdma.testsuite.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** Keeps what arrives at a datagram channel. */
final class Inbox extends ChannelInboundHandlerAdapter {

    @Override
    public boolean isSharable() {
        return true;
    }

    private final Queue<AddressedEnvelope<?, DatagramAddress>> arrived = new ConcurrentLinkedQueue<>();
    private final Queue<DatagramImmediate> immediates = new ConcurrentLinkedQueue<>();
    private volatile Throwable failure;

    @Override
    @SuppressWarnings("unchecked")
    public void channelRead(ChannelHandlerContext context, Object message) {
        arrived.add((AddressedEnvelope<?, DatagramAddress>) message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof DatagramImmediate immediate) {
            immediates.add(immediate);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure = cause;
    }

    /** The next datagram. */
    @SuppressWarnings("unchecked")
    AddressedEnvelope<ByteBuf, DatagramAddress> await() throws Exception {
        AddressedEnvelope<?, DatagramAddress> next = next();
        assertThat(next.content()).isInstanceOf(ByteBuf.class);
        return (AddressedEnvelope<ByteBuf, DatagramAddress>) next;
    }

    /** The number at the beginning of the next datagram. */
    int awaitNumber() throws Exception {
        AddressedEnvelope<ByteBuf, DatagramAddress> next = await();
        int number = next.content().readInt();
        next.release();
        return number;
    }

    /** The immediate of the next write. */
    DatagramImmediate awaitImmediate() throws Exception {
        Deadline.standard().until("an immediate", () -> !immediates.isEmpty() || failure != null);
        assertThat(failure).isNull();
        return immediates.remove();
    }

    private AddressedEnvelope<?, DatagramAddress> next() throws Exception {
        Deadline.standard().until("a datagram", () -> !arrived.isEmpty() || failure != null);
        assertThat(failure).isNull();
        return arrived.remove();
    }

    boolean isEmpty() {
        return arrived.isEmpty() && immediates.isEmpty();
    }

    void release() {
        arrived.forEach(AddressedEnvelope::release);
        arrived.clear();
    }
}
