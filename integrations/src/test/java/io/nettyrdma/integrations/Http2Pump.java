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

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;

/** Sends a body in parts, but only while the stream is writable. */
final class Http2Pump extends ChannelInboundHandlerAdapter {

    private final byte[] body;
    private final int part;
    private volatile int sent;

    Http2Pump(byte[] body, int part) {
        this.body = body;
        this.part = part;
    }

    int sent() {
        return sent;
    }

    /** Call after the headers, on the stream's loop. */
    void pump(ChannelHandlerContext context) {
        int at = sent;
        while (at < body.length && context.channel().isWritable()) {
            int length = Math.min(part, body.length - at);
            at += length;
            // Set before the write, which may make the stream writable again and call this method.
            sent = at;
            context.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(body, at - length, length),
                    at == body.length));
            at = sent;
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        pump(context);
        context.fireChannelWritabilityChanged();
    }
}
