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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.util.UncheckedBooleanSupplier;

import java.io.IOException;

/**
 * Hands what has come to the pipeline, when it asks: nothing without a read, then as much as its
 * {@link RecvByteBufAllocator} says, and the end of the stream, or its failure, after the last byte.
 *
 * <p>Belongs to the event loop.
 */
final class InboundReader {

    private final RdmaChannel channel;
    private final InboundQueue queue = new InboundQueue();
    private final UncheckedBooleanSupplier hasMore = () -> !queue.isEmpty();
    private final Runnable readTask = this::read;
    private boolean readPending;
    private boolean reading;
    private volatile boolean shutdown;
    /** What the pipeline knows of the queue's state: its end, and after that it may still be told of a failure. */
    private InboundQueue.State told = InboundQueue.State.OPEN;

    InboundReader(RdmaChannel channel) {
        this.channel = channel;
    }

    void add(ByteBuf buffer) {
        if (shutdown || !channel.mayReceive()) {
            // As a socket does whose reading side is shut: the peer is not stopped, and not heard.
            buffer.release();
        } else {
            queue.add(buffer);
        }
    }

    void end() {
        queue.end();
    }

    void fail(IOException why) {
        queue.fail(why);
    }

    /** Whether the peer's end of the stream has come, read or not. */
    boolean isEnded() {
        return queue.state() == InboundQueue.State.ENDED;
    }

    boolean hasFailed() {
        return queue.state() == InboundQueue.State.FAILED;
    }

    /** Why the connection is gone; {@code null} while it is not. */
    IOException failure() {
        return queue.failure();
    }

    /** Whether there is something to read, and nobody has asked for it. */
    boolean isStalled() {
        return !readPending && !queue.isEmpty();
    }

    boolean isShutdown() {
        return shutdown;
    }

    void beginRead() {
        readPending = true;
        // Not at once: a read may be asked for by a handler that is being called.
        if (!reading && !queue.isEmpty()) {
            channel.eventLoop().execute(readTask);
        }
    }

    void clearReadPending() {
        readPending = false;
    }

    /** The application wants no more bytes. */
    void shutdown() {
        if (!shutdown) {
            shutdown = true;
            queue.release();
            tellShutdown();
        }
    }

    void close() {
        queue.release();
    }

    void read() {
        if (reading || !channel.isReadable()) {
            return;
        }
        reading = true;
        try {
            if (readPending && !queue.isEmpty()) {
                readBuffers();
            }
            if (queue.isEmpty() && channel.isReadable()) {
                tellEnd();
            }
        } finally {
            reading = false;
        }
        if (readPending && !queue.isEmpty()) {
            channel.eventLoop().execute(readTask);
        }
    }

    private void readBuffers() {
        ChannelPipeline pipeline = channel.pipeline();
        RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) channel.unsafe().recvBufAllocHandle();
        handle.reset(channel.config());
        do {
            ByteBuf buffer = take(handle.guess());
            if (buffer == null) {
                break;
            }
            handle.attemptedBytesRead(buffer.readableBytes());
            handle.lastBytesRead(buffer.readableBytes());
            handle.incMessagesRead(1);
            readPending = false;
            pipeline.fireChannelRead(buffer);
        } while (!queue.isEmpty() && channel.isReadable() && handle.continueReading(hasMore));
        handle.readComplete();
        pipeline.fireChannelReadComplete();
    }

    /** Returns {@code null} if there is no memory for a copy: with a hole in it the stream has failed. */
    private ByteBuf take(int most) {
        try {
            return channel.deliver(queue.take(most));
        } catch (Throwable e) {
            queue.release();
            queue.fail(new IOException("what was received cannot be copied: " + e.getMessage(), e));
            return null;
        }
    }

    private void tellEnd() {
        if (told == queue.state()) {
            return;
        }
        told = queue.state();
        switch (told) {
        case ENDED:
            endOfStream();
            break;
        case FAILED:
            channel.pipeline().fireExceptionCaught(queue.failure());
            channel.closeBecause(queue.failure());
            break;
        default:
            break;
        }
    }

    private void endOfStream() {
        if (!channel.config().isAllowHalfClosure()) {
            channel.unsafe().close(channel.unsafe().voidPromise());
            return;
        }
        if (!shutdown) {
            shutdown = true;
            tellShutdown();
        }
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    }

    private void tellShutdown() {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
}
