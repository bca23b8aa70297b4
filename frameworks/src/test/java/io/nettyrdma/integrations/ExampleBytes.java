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
package io.nettyrdma.integrations;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslContext;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A client that keeps everything it receives. */
final class ExampleBytes {

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final SslContext tls;
    private Channel channel;

    private ExampleBytes(SslContext tls) {
        this.tls = tls;
    }

    /** Connects without TLS if {@code tls} is null. */
    static ExampleBytes connect(ExampleProgram program, int port, SslContext tls) {
        ExampleBytes bytes = new ExampleBytes(tls);
        bytes.channel = program.connect(port, bytes::setUp);
        return bytes;
    }

    private void setUp(Channel connecting) {
        if (tls != null) {
            connecting.pipeline().addLast(tls.newHandler(connecting.alloc()));
        }
        connecting.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                synchronized (received) {
                    received.writeBytes(ByteBufUtil.getBytes(bytes));
                }
            }
        });
    }

    void write(byte[] bytes) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }

    void write(String text) {
        write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Waits for this many bytes. */
    byte[] next(int count) {
        Waiting.until(count + " bytes", () -> received().length >= count);
        return received();
    }

    /** All bytes until the other side closes. */
    byte[] all() {
        Waiting.until("the end", () -> !channel.isActive());
        return received();
    }

    private byte[] received() {
        synchronized (received) {
            return received.toByteArray();
        }
    }

    static byte[] last(byte[] bytes, int count) {
        return Arrays.copyOfRange(bytes, bytes.length - count, bytes.length);
    }
}
