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
package io.nettyrdma.example.echo;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;

import java.io.IOException;
import java.util.ArrayDeque;

/** Keeps a window of messages in flight, and checks every byte that comes back. */
final class EchoClientHandler extends SimpleChannelInboundHandler<ByteBuf> {

    private record Message(int number, long sentAt) { }

    private final EchoPattern pattern;
    private final int size;
    private final int window;
    private final EchoResult result;
    private final ArrayDeque<Message> inFlight = new ArrayDeque<>();
    /** Bytes of the oldest message that have come back. */
    private int have;

    EchoClientHandler(int size, int window, EchoResult result) {
        this.size = size;
        pattern = new EchoPattern(size);
        this.window = window;
        this.result = result;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        fillWindow(context);
    }

    private void fillWindow(ChannelHandlerContext context) {
        boolean any = false;
        while (inFlight.size() < window) {
            int number = result.nextMessage();
            if (number < 0) {
                break;
            }
            inFlight.add(new Message(number, System.nanoTime()));
            context.write(message(context, number));
            any = true;
        }
        if (any) {
            context.flush();
        }
    }

    private ByteBuf message(ChannelHandlerContext context, int number) {
        ByteBuf buffer = context.alloc().directBuffer(size);
        pattern.write(number, buffer);
        return buffer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) throws IOException {
        while (bytes.isReadable()) {
            Message message = inFlight.peek();
            if (message == null) {
                throw new IOException(bytes.readableBytes() + " bytes came back that were not sent");
            }
            int count = Math.min(bytes.readableBytes(), size - have);
            if (!pattern.isNext(message.number(), have, bytes, count)) {
                throw new IOException("bytes " + have + " to " + (have + count) + " of message " + message.number()
                        + " came back as others");
            }
            bytes.skipBytes(count);
            have += count;
            if (have == size) {
                have = 0;
                inFlight.poll();
                result.returned(System.nanoTime() - message.sentAt());
            }
        }
        fillWindow(context);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!inFlight.isEmpty()) {
            result.failed(new IOException(context.channel() + " was closed, " + inFlight.size()
                    + " messages were in flight"));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        result.failed(cause);
        context.close();
    }
}
