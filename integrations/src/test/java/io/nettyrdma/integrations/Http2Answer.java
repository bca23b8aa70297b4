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
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;

/** The client's end of a stream: records the server's answer. */
final class Http2Answer extends ChannelInboundHandlerAdapter {

    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final CompletableFuture<Long> reset = new CompletableFuture<>();
    private CharSequence status;
    private CharSequence length;

    /** The body, once the trailers have arrived and everything is valid. */
    byte[] body() throws Exception {
        return Waiting.get(whole);
    }

    long resetCode() throws Exception {
        return Waiting.get(reset);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof Http2HeadersFrame headers) {
                onHeaders(headers);
            } else if (message instanceof Http2DataFrame data) {
                data.content().readBytes(body, data.content().readableBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onHeaders(Http2HeadersFrame headers) {
        if (headers.isEndStream()) {
            length = headers.headers().get(Http2Echo.LENGTH);
            finish();
        } else {
            status = headers.headers().status();
        }
    }

    private void finish() {
        if ("200".contentEquals(status) && Integer.toString(body.size()).contentEquals(length)) {
            whole.complete(body.toByteArray());
        } else {
            whole.completeExceptionally(new AssertionError("status " + status + ", " + body.size() + " bytes of "
                    + length));
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof Http2ResetFrame frame) {
            reset.complete(frame.errorCode());
        }
        ReferenceCountUtil.release(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        whole.completeExceptionally(cause);
    }
}
