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

import java.util.zip.CRC32C;

/** Counts the received bytes and computes a checksum over them in order. */
final class Digest extends ChannelInboundHandlerAdapter {

    private final CRC32C checksum = new CRC32C();
    /** Written after the checksum, so that another thread may read that when no more bytes are in flight. */
    private volatile long count;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        checksum.update(buffer.nioBuffer());
        count += buffer.readableBytes();
        buffer.release();
    }

    long count() {
        return count;
    }

    long checksum() {
        return checksum.getValue();
    }
}
