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
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.ReferenceCountUtil;

import java.nio.channels.ClosedChannelException;

/** A stream for each request, over Netty's HTTP/2. */
final class Http2RateConnection extends RateConnection {

    private final byte[] message = new byte[SIZE];
    private final Channel connection;

    Http2RateConnection(Channel connection) {
        this.connection = connection;
        connection.pipeline().addLast(Http2FrameCodecBuilder.forClient().build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
    }

    static void initServer(Channel channel) {
        channel.pipeline().addLast(Http2FrameCodecBuilder.forServer().build(),
                new Http2MultiplexHandler(NettyProgram.initializer(
                        stream -> stream.pipeline().addLast(new Http2Echo()))));
    }

    @Override
    void request() {
        new Http2StreamChannelBootstrap(connection).handler(new Stream()).open();
    }

    private final class Stream extends ChannelInboundHandlerAdapter {

        private int size;
        private boolean ended;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            DefaultHttp2Headers headers = new DefaultHttp2Headers();
            headers.method(HttpMethod.POST.asciiName()).path("/echo").scheme("http").authority("here");
            context.write(new DefaultHttp2HeadersFrame(headers));
            context.writeAndFlush(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(message), true));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            if (frame instanceof Http2DataFrame data) {
                size += data.content().readableBytes();
            } else if (frame instanceof Http2HeadersFrame headers) {
                // Http2Echo ends its answer with trailers.
                ended = headers.isEndStream();
            }
            ReferenceCountUtil.release(frame);
            if (ended) {
                answered(size);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (!ended) {
                failed(new ClosedChannelException());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failed(cause);
        }
    }
}
