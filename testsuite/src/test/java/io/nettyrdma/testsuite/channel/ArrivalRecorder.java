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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.remote.RdmaImmediate;

import java.util.ArrayList;
import java.util.List;

/**
 * Records messages of 4 bytes and immediates in the order of their arrival, and what a memory holds at each message.
 */
@ChannelHandler.Sharable
final class ArrivalRecorder extends ChannelInboundHandlerAdapter {

    private static final ByteBuf NOTHING = Unpooled.EMPTY_BUFFER;

    private final StringBuilder log = new StringBuilder();
    private final List<Integer> numbers = new ArrayList<>();
    private final List<Integer> seen = new ArrayList<>();
    private ByteBuf memory = NOTHING;
    private int partial;
    private int partialBytes;
    private int bytes;

    /** Looks at the first 4 bytes of this memory when a message comes. */
    synchronized void watch(ByteBuf buffer) {
        memory = buffer;
    }

    @Override
    public synchronized void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        while (buffer.isReadable()) {
            partial = partial << Byte.SIZE | buffer.readUnsignedByte();
            bytes++;
            if (++partialBytes == Integer.BYTES) {
                numbers.add(partial);
                seen.add(memory == NOTHING ? 0 : memory.getInt(0));
                log.append('b').append(partial).append(' ');
                partialBytes = 0;
            }
        }
        buffer.release();
    }

    @Override
    public synchronized void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof RdmaImmediate immediate) {
            log.append('i').append(immediate.value()).append(' ');
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    synchronized String log() {
        return log.toString();
    }

    synchronized int bytes() {
        return bytes;
    }

    synchronized List<Integer> numbers() {
        return List.copyOf(numbers);
    }

    synchronized List<Integer> seen() {
        return List.copyOf(seen);
    }
}
