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
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;

import java.io.IOException;

/**
 * Keeps a window of datagrams in flight, and checks every byte that comes back. A datagram begins with its number,
 * because they come back in any order:
 *
 * <pre>
 *   0 number 4 | the pattern of that number
 * </pre>
 */
final class DatagramClientHandler extends SimpleChannelInboundHandler<AddressedEnvelope<ByteBuf, ?>> {

    /** Bytes of the smallest datagram. */
    static final int LEAST = Integer.BYTES;

    private final EchoPattern pattern;
    private final int size;
    private final int window;
    private final EchoResult result;
    /** When each datagram in flight was sent. */
    private final IntObjectMap<Long> inFlight = new IntObjectHashMap<>();
    private ChannelHandlerContext context;
    private volatile long duplicates;

    DatagramClientHandler(int size, int window, EchoResult result) {
        this.size = size;
        pattern = new EchoPattern(size - LEAST);
        this.window = window;
        this.result = result;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    /** Begins to send. Any thread. */
    void start() {
        context.executor().execute(this::fillWindow);
    }

    /** Datagrams that came back more than once. */
    long duplicates() {
        return duplicates;
    }

    private void fillWindow() {
        boolean any = false;
        while (inFlight.size() < window) {
            int number = result.nextMessage();
            if (number < 0) {
                break;
            }
            inFlight.put(number, (Long) System.nanoTime());
            ByteBuf datagram = context.alloc().directBuffer(size).writeInt(number);
            pattern.write(number, datagram);
            context.write(datagram).addListener(sent -> {
                if (!sent.isSuccess()) {
                    result.failed(sent.cause());
                }
            });
            any = true;
        }
        if (any) {
            context.flush();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ignored, AddressedEnvelope<ByteBuf, ?> envelope)
            throws IOException {
        ByteBuf datagram = envelope.content();
        if (datagram.readableBytes() != size) {
            throw new IOException("a datagram of " + datagram.readableBytes() + " bytes came back, none was sent");
        }
        int number = datagram.readInt();
        Long sentAt = inFlight.remove(number);
        if (sentAt == null) {
            duplicates++;
            return;
        }
        if (!pattern.isNext(number, 0, datagram, size - LEAST)) {
            throw new IOException("datagram " + number + " came back with other bytes");
        }
        result.returned(System.nanoTime() - sentAt);
        fillWindow();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failed, Throwable cause) {
        result.failed(cause);
        failed.close();
    }
}
