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
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.stream.StreamInput;

import java.io.IOException;

/**
 * Hands what has come to the pipeline, when it asks: nothing without a read, then as much as its
 * {@link RecvByteBufAllocator} says, and the end of the stream, or its failure, after the last byte.
 *
 * <p>Belongs to the event loop.
 */
final class InboundReader {

    private final RdmaChannel channel;
    private final StreamInput input = new StreamInput();
    private final UncheckedBooleanSupplier hasMore = () -> !input.isEmpty();
    private final Runnable readTask = this::resume;
    private final Runnable endTask = this::endOfStream;
    private boolean readPending;
    private boolean reading;
    /** Whether the peer was left to wait since something was read. */
    private boolean peerWaits;
    private volatile boolean shutdown;
    /** What the pipeline knows of the queue's state: its end, and after that it may still be told of a failure. */
    private StreamInput.State told = StreamInput.State.OPEN;

    InboundReader(RdmaChannel channel) {
        this.channel = channel;
    }

    /** Where the stream puts what has come. */
    StreamInput input() {
        return input;
    }

    void fail(IOException why) {
        input.fail(why);
    }

    /** Whether the peer's end of the stream has come, read or not. */
    boolean isEnded() {
        return input.state() == StreamInput.State.ENDED;
    }

    boolean hasFailed() {
        return input.state() == StreamInput.State.FAILED;
    }

    /** Why the connection is gone; {@code null} while it is not. */
    IOException failure() {
        return input.failure();
    }

    /** Whether there is something to read, and nobody has asked for it. */
    boolean isStalled() {
        return !readPending && !input.isEmpty();
    }

    /** Whether more is about to be read: a write that fails now closes the channel before that. */
    boolean isBeingRead() {
        return (reading || readPending) && !input.isEmpty();
    }

    boolean isShutdown() {
        return shutdown;
    }

    void beginRead() {
        readPending = true;
        // Not at once: a read may be asked for by a handler that is being called.
        if (!reading && !input.isEmpty()) {
            channel.eventLoop().execute(readTask);
        }
    }

    void clearReadPending() {
        readPending = false;
        settle();
    }

    /**
     * Nobody reads, and the peer can send no more: up to SO_RCVBUF bytes are copied out of the receives, so that it
     * can again. TCP's kernel would have taken them: two programs that write before they read must not wait for ever.
     */
    void makeRoom() {
        if (!isStalled() || reading || !channel.isReadable() || !input.isPeerStopped()) {
            return;
        }
        RdmaCounters counters = channel.counters();
        int most = channel.config().getReceiveBufferSize();
        if (most > 0 && hasMemory()) {
            try {
                counters.add(RdmaCounter.BYTES_COPIED_UNREAD, input.copyUnread(most, channel.alloc()));
            } catch (OutOfMemoryError e) {
                // There is none for what nobody reads.
                ChannelErrors.LOGGER.debug("{}: the peer waits, for what it sent cannot be copied", channel, e);
            }
        }
        if (!peerWaits && input.isPeerStopped()) {
            peerWaits = true;
            counters.increment(RdmaCounter.PEERS_STOPPED);
        }
    }

    /** Half of what can be registered is left to those who read. Others' allocators have no limit to ask for. */
    private boolean hasMemory() {
        if (!(channel.alloc() instanceof RdmaByteBufAllocator ours)) {
            return true;
        }
        RdmaByteBufAllocatorMetric metric = ours.metric();
        return metric.committedBytes() - metric.idleBytes() <= metric.maxRegisteredBytes() / 2;
    }

    /** The application wants no more bytes. */
    void shutdown() {
        if (!shutdown) {
            shutdown = true;
            // As a socket does whose reading side is shut: the peer is not stopped, and not heard.
            input.discard();
            tellShutdown();
        }
    }

    void close() {
        input.discard();
    }

    /** Reads, when there is no batch of completions at whose end there is still something to do. */
    void resume() {
        read();
        settle();
    }

    /** Something was read, or is not to be for now. */
    private void settle() {
        if (channel.isReadable()) {
            channel.settle();
        }
    }

    void read() {
        if (reading || !channel.isReadable()) {
            return;
        }
        reading = true;
        try {
            if (readPending && !input.isEmpty()) {
                readBuffers();
            }
            if (input.isEmpty() && channel.isReadable()) {
                tellEnd();
            }
        } finally {
            reading = false;
        }
        if (readPending && !input.isEmpty()) {
            channel.eventLoop().execute(readTask);
        }
    }

    private void readBuffers() {
        ChannelPipeline pipeline = channel.pipeline();
        RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) channel.unsafe().recvBufAllocHandle();
        handle.reset(channel.config());
        do {
            ByteBuf buffer = input.read(handle.guess(), channel.alloc());
            if (buffer == null) {
                break;
            }
            handle.attemptedBytesRead(buffer.readableBytes());
            handle.lastBytesRead(buffer.readableBytes());
            handle.incMessagesRead(1);
            readPending = false;
            peerWaits = false;
            pipeline.fireChannelRead(buffer);
        } while (!input.isEmpty() && channel.isReadable() && handle.continueReading(hasMore));
        handle.readComplete();
        pipeline.fireChannelReadComplete();
    }

    /**
     * Of the end in a task: those that were scheduled when the bytes were read, or the channel became active, come
     * before it. NIO reads the end in another turn as well; and a channel without half closure closes then, and fails
     * what is written after that.
     */
    private void tellEnd() {
        if (told == input.state()) {
            return;
        }
        told = input.state();
        switch (told) {
        case ENDED:
            channel.eventLoop().execute(endTask);
            break;
        case FAILED:
            channel.pipeline().fireExceptionCaught(input.failure());
            channel.closeBecause(input.failure());
            break;
        default:
            break;
        }
    }

    private void endOfStream() {
        if (!channel.isReadable()) {
            return;
        }
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
