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
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Compares received bytes with the expected ones as they arrive, and keeps none of them. */
final class SameBytes extends ChannelInboundHandlerAdapter {

    private final ByteBuf expected;
    private volatile int count;
    private volatile int firstDifference = -1;

    SameBytes(byte[] expected) {
        this.expected = Unpooled.wrappedBuffer(expected);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        int length = buffer.readableBytes();
        boolean same = length <= expected.readableBytes() && buffer.equals(expected.readSlice(length));
        if (!same && firstDifference < 0) {
            firstDifference = count;
        }
        count += length;
        buffer.release();
    }

    /** The number of bytes received. */
    int count() {
        return count;
    }

    /** The position of the first byte of the first buffer that differs, or -1. */
    int firstDifference() {
        return firstDifference;
    }
}
