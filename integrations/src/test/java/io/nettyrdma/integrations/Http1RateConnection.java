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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

import java.nio.channels.ClosedChannelException;

/** One request after another over Netty's HTTP/1.1. */
final class Http1RateConnection extends RateConnection {

    private final byte[] message = new byte[SIZE];
    private final Channel connection;

    Http1RateConnection(Channel connection) {
        this.connection = connection;
        connection.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(SIZE), new Answers());
    }

    static void initServer(Channel channel) {
        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(SIZE), new Echo());
    }

    @Override
    void request() {
        FullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/echo",
                Unpooled.wrappedBuffer(message));
        request.headers().set(HttpHeaderNames.HOST, "here");
        connection.writeAndFlush(withLength(request), connection.voidPromise());
    }

    private static FullHttpMessage withLength(FullHttpMessage message) {
        HttpUtil.setContentLength(message, message.content().readableBytes());
        return message;
    }

    private final class Answers extends SimpleChannelInboundHandler<FullHttpResponse> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse answer) {
            answered(answer.content().readableBytes());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            failed(new ClosedChannelException());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failed(cause);
        }
    }

    private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            ByteBuf body = request.content().retain();
            context.writeAndFlush(withLength(
                    new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body)),
                    context.voidPromise());
        }
    }
}
