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
import io.nettyrdma.memory.LoopTasks;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.remote.RdmaImmediate;
import io.nettyrdma.stream.StreamInput;

import java.io.IOException;

/**
 * Passes received data to the pipeline on demand: nothing without a read, then as much as the channel's
 * {@link RecvByteBufAllocator} allows, and the end of the stream, or its failure, after the last byte.
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
    /** Whether the peer has been stopped since the last read. */
    private boolean peerWaits;
    private volatile boolean shutdown;
    /** The state that the pipeline was notified of. After ENDED, FAILED may still follow. */
    private StreamInput.State reported = StreamInput.State.OPEN;

    InboundReader(RdmaChannel channel) {
        this.channel = channel;
    }

    /** Where the stream puts received data. */
    StreamInput input() {
        return input;
    }

    /** The connection has failed: nothing is received or sent any more. */
    void fail(IOException why) {
        input.fail(why);
        channel.refuseWrites();
    }

    /** Whether the peer's FIN has arrived, even if it is not read yet. */
    boolean isEnded() {
        return input.state() == StreamInput.State.ENDED;
    }

    boolean hasFailed() {
        return input.state() == StreamInput.State.FAILED;
    }

    /** Why the connection failed; {@code null} if it has not. */
    IOException failure() {
        return input.failure();
    }

    /** Whether there is data that no read() has asked for. */
    boolean isStalled() {
        return !readPending && !input.isEmpty();
    }

    /** Whether more data is about to be read: a write that failed now would close the channel before that. */
    boolean isBeingRead() {
        return (reading || readPending) && !input.isEmpty();
    }

    boolean isShutdown() {
        return shutdown;
    }

    void beginRead() {
        readPending = true;
        // Not at once: a handler that is being called may be the one that asks.
        if (!reading && !input.isEmpty()) {
            LoopTasks.execute(channel.eventLoop(), readTask);
        }
    }

    void clearReadPending() {
        readPending = false;
        afterPeerStateChange();
    }

    /**
     * If there is no read and the peer can send no more, copies up to SO_RCVBUF bytes out of the receives, so that it
     * can continue. TCP's kernel would have taken them: two programs that write before they read must not deadlock.
     */
    void copyUnread() {
        if (!isStalled() || reading || !channel.isReadable() || !input.isPeerStopped()) {
            return;
        }
        RdmaCounters counters = channel.loopCounters();
        int maxBytes = channel.config().getReceiveBufferSize();
        if (maxBytes > 0) {
            try {
                counters.add(RdmaCounter.BYTES_COPIED_UNREAD, input.copyUnread(maxBytes, channel.alloc()));
            } catch (OutOfMemoryError e) {
                // There is no memory for unread data.
                ChannelErrors.LOGGER.debug("{}: the peer waits, for what it sent cannot be copied", channel, e);
            }
        }
        if (!peerWaits && input.isPeerStopped()) {
            peerWaits = true;
            counters.increment(RdmaCounter.PEERS_STOPPED);
        }
    }

    /** The application reads no more. */
    void shutdown() {
        if (!shutdown) {
            shutdown = true;
            // As with a socket whose input is shut: the peer is not stopped, and its data is dropped.
            input.discard();
            reportShutdown();
        }
    }

    void close() {
        input.discard();
    }

    /** Reads when no end of a batch of completions follows, which would settle the rest. */
    void resume() {
        read();
        afterPeerStateChange();
    }

    /** Call when data was read, or when reading is suspended. */
    private void afterPeerStateChange() {
        if (channel.isReadable()) {
            channel.afterPeerStateChange();
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
                reportEnd();
            }
        } finally {
            reading = false;
        }
        if (readPending && !input.isEmpty()) {
            LoopTasks.execute(channel.eventLoop(), readTask);
        }
    }

    private void readBuffers() {
        ChannelPipeline pipeline = channel.pipeline();
        RecvByteBufAllocator.ExtendedHandle handle =
                (RecvByteBufAllocator.ExtendedHandle) channel.actions().recvBufAllocHandle();
        handle.reset(channel.config());
        Throwable failure = null;
        try {
            readBuffers(handle, pipeline);
        } catch (Throwable e) {
            // As over TCP: of an allocator of the application's.
            failure = e;
        }
        handle.readComplete();
        pipeline.fireChannelReadComplete();
        if (failure != null) {
            pipeline.fireExceptionCaught(failure);
        }
    }

    private void readBuffers(RecvByteBufAllocator.ExtendedHandle handle, ChannelPipeline pipeline) {
        do {
            if (input.isImmediateNext()) {
                RdmaImmediate immediate = input.readImmediate();
                count(handle, Integer.BYTES);
                pipeline.fireUserEventTriggered(immediate);
                continue;
            }
            ByteBuf buffer = input.read(handle.guess(), channel.alloc());
            if (buffer == null) {
                break;
            }
            count(handle, buffer.readableBytes());
            pipeline.fireChannelRead(buffer);
        } while (!input.isEmpty() && channel.isReadable() && handle.continueReading(hasMore));
    }

    private void count(RecvByteBufAllocator.ExtendedHandle handle, int bytes) {
        handle.attemptedBytesRead(bytes);
        handle.lastBytesRead(bytes);
        handle.incMessagesRead(1);
        readPending = false;
        peerWaits = false;
    }

    /**
     * Reports the end of the stream in a task, behind the tasks that were scheduled when the bytes were read or the
     * channel became active. NIO reads the end in another turn as well. A channel without half closure closes then, and
     * fails later writes.
     */
    private void reportEnd() {
        if (reported == input.state()) {
            return;
        }
        reported = input.state();
        switch (reported) {
        case ENDED:
            LoopTasks.execute(channel.eventLoop(), endTask);
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
            channel.closeDirectly();
            return;
        }
        if (!shutdown) {
            shutdown = true;
            reportShutdown();
        }
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
    }

    private void reportShutdown() {
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
}
