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
package io.nettyrdma.testsuite.soak;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** What one end of a connection writes: messages of any size, in any parts, in any memory. Loop's thread. */
final class Outgoing {

    /** Makes most messages small: 4 of 5 are shorter than 1 KiB if the longest has 4 MiB. */
    private static final int SKEW = 4;
    private static final int MOST_PARTS = 8;
    /** One message in this many. */
    private static final int IN_PARTS = 8;
    /** One in this many operations and messages, if there is remote traffic. */
    private static final int OPERATION = 4;
    private static final int PAUSE = 64;
    private static final int PAUSE_MILLIS = 50;

    private final End end;
    private final Channel channel;
    private final SeededBytes content;
    private final SplittableRandom random;
    private final int maxSize;
    /** Some ends flush each message, others several at once. */
    private final int flushEach;
    private final boolean hasEndMarker;
    private final int planned;
    /** {@code null} if there is none. */
    private RemoteTraffic remote;
    private int messages;
    private int outstanding;
    private boolean writing;
    private boolean pausing;
    private boolean finished;

    /** @param hasEndMarker whether it writes the end marker, or is cut off. */
    Outgoing(End end, Channel channel, SeededBytes content, SplittableRandom random, SoakOptions options,
             boolean hasEndMarker) {
        this.end = end;
        this.channel = channel;
        this.content = content;
        this.random = random;
        this.hasEndMarker = hasEndMarker;
        maxSize = options.maxSize();
        planned = upTo(options.longest(), 1);
        flushEach = 1 << random.nextInt(6);
    }

    /** At least 1. With skew 1, values from 1 to 10 are as frequent as values from 10 to 100. */
    private int upTo(int most, int skew) {
        return Math.min(most, (int) Math.pow(most + 1.0, Math.pow(random.nextDouble(), skew)));
    }

    void add(RemoteTraffic traffic) {
        remote = traffic;
    }

    /** Sends the server the plan. */
    void writeSeed(long seed) {
        write(channel.alloc().buffer(Plan.SEED_BYTES).writeLong(seed));
    }

    /** Writes as much as the channel accepts now. */
    void writeMessages() {
        // Prevents reentrance: a write may report an unwritable channel and a flush a writable one, within a message.
        if (!writing) {
            writing = true;
            while (!finished && !pausing && channel.isWritable()) {
                writeNext();
            }
            writing = false;
            channel.flush();
        }
    }

    private void writeNext() {
        if (messages == planned || end.isStopping()) {
            finish();
            return;
        }
        if (remote == null || random.nextInt(OPERATION) > 0 || !remote.writeOperation()) {
            writeMessage();
        }
        if (messages % flushEach == 0) {
            channel.flush();
        }
        if (random.nextInt(PAUSE) == 0) {
            pause();
        }
    }

    private void finish() {
        if (hasEndMarker) {
            write(channel.alloc().buffer(Plan.LENGTH_BYTES).writeInt(Plan.END));
        }
        finished = true;
    }

    private void pause() {
        pausing = true;
        channel.eventLoop().schedule(() -> {
            pausing = false;
            end.proceed();
        }, random.nextInt(PAUSE_MILLIS), TimeUnit.MILLISECONDS);
    }

    private void writeMessage() {
        int size = upTo(maxSize, SKEW);
        messages++;
        if (random.nextInt(IN_PARTS) > 0) {
            ByteBuf message = buffer(Plan.LENGTH_BYTES + size).writeInt(size);
            content.writeTo(message, size);
            write(message);
        } else {
            ByteBuf[] parts = parts(size);
            if (random.nextBoolean()) {
                CompositeByteBuf composite = channel.alloc().compositeBuffer(parts.length);
                write(composite.addComponents(true, parts));
            } else {
                for (ByteBuf part : parts) {
                    write(part);
                }
            }
        }
    }

    private ByteBuf[] parts(int size) {
        int most = Math.min(size, MOST_PARTS);
        ByteBuf[] parts = new ByteBuf[2 + random.nextInt(most)];
        parts[0] = buffer(Plan.LENGTH_BYTES).writeInt(size);
        int left = size;
        for (int i = 1; i < parts.length; i++) {
            int behind = parts.length - 1 - i;
            int count = behind == 0 ? left : 1 + random.nextInt(left - behind);
            parts[i] = buffer(count);
            content.writeTo(parts[i], count);
            left -= count;
        }
        return parts;
    }

    /** Most come from the channel's allocator. Others are copied by the transport. */
    private ByteBuf buffer(int size) {
        ByteBufAllocator own = channel.alloc();
        return switch (random.nextInt(8)) {
            case 0 -> own.heapBuffer(size, size);
            case 1 -> UnpooledByteBufAllocator.DEFAULT.directBuffer(size, size);
            case 2 -> Unpooled.buffer(size, size);
            default -> own.directBuffer(size, size);
        };
    }

    ChannelFuture write(Object message) {
        outstanding++;
        return channel.write(message).addListener((ChannelFuture written) -> {
            outstanding--;
            if (written.isSuccess()) {
                end.progressed();
                if (outstanding == 0) {
                    end.proceed();
                }
            } else {
                end.writeFailed(written.cause());
            }
        });
    }

    /** Whether nothing more will be written. */
    boolean isFinished() {
        return finished;
    }

    /** Whether, in addition, the peer has all of it. */
    boolean isDone() {
        return finished && outstanding == 0;
    }

    @Override
    public String toString() {
        return messages + " of " + planned + " messages written" + (finished ? ", no more will be" : "")
                + (pausing ? ", pausing" : "") + ", " + outstanding + " writes outstanding, "
                + channel.bytesBeforeWritable() + " bytes before it is writable";
    }
}
