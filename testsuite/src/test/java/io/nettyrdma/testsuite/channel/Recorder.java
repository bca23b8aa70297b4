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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Records received bytes and events. */
public final class Recorder extends ChannelInboundHandlerAdapter {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final CountDownLatch inactive = new CountDownLatch(1);
    private final boolean echoes;

    public Recorder() {
        this(false);
    }

    /** @param echoes whether it echoes, and records only failed writes instead of bytes. */
    public Recorder(boolean echoes) {
        this.echoes = echoes;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        events.add("active");
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        events.add("inactive");
        inactive.countDown();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (echoes) {
            context.writeAndFlush(message).addListener(written -> {
                if (written.cause() != null) {
                    failures.add(written.cause());
                }
            });
            return;
        }
        ByteBuf buffer = (ByteBuf) message;
        byte[] read = new byte[buffer.readableBytes()];
        buffer.readBytes(read);
        buffer.release();
        synchronized (bytes) {
            bytes.writeBytes(read);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        events.add(event.getClass().getSimpleName());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.add(cause);
    }

    public byte[] bytes() {
        synchronized (bytes) {
            return bytes.toByteArray();
        }
    }

    public int count() {
        synchronized (bytes) {
            return bytes.size();
        }
    }

    public List<String> events() {
        return events;
    }

    public List<Throwable> failures() {
        return failures;
    }

    public CountDownLatch inactive() {
        return inactive;
    }
}
