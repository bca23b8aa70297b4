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

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.ReferenceCountUtil;

/** The server's end of a stream: echoes each part of the body, and adds trailers with its length. */
final class Http2Echo extends ChannelInboundHandlerAdapter {

    static final String LENGTH = "x-length";

    private long length;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof Http2HeadersFrame) {
            context.write(new DefaultHttp2HeadersFrame(
                    new DefaultHttp2Headers().status(HttpResponseStatus.OK.codeAsText())));
        } else if (message instanceof Http2DataFrame data) {
            length += data.content().readableBytes();
            context.write(new DefaultHttp2DataFrame(data.content(), false));
            if (data.isEndStream()) {
                context.write(new DefaultHttp2HeadersFrame(
                        new DefaultHttp2Headers().set(LENGTH, Long.toString(length)), true));
            }
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }
}
