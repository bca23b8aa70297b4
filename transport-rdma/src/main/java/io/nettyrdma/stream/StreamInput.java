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
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.buffer.TransportMemory;
import io.nettyrdma.memory.ReceivedPart;
import io.nettyrdma.remote.RdmaImmediate;

import java.io.IOException;
import java.util.ArrayDeque;

/**
 * Received bytes that the channel has not read yet, and after them the reason why no more arrive. A source adds, the
 * channel reads.
 *
 * <pre>
 *   oldest                                      newest
 *   [   combined copies    ] [  received buffers, immediates   ]
 *                            &lt;--- {@link #copyUnread}, up to the first immediate
 *
 *   OPEN ---- end() ----> ENDED      the peer sends no more
 *     |                     |
 *     +---- fail(cause) ----+------> FAILED    the connection is gone; the first cause stays
 * </pre>
 *
 * The channel creates it before there is a source, and may still read it after the source is closed. Belongs to the
 * event loop.
 */
public final class StreamInput {

    /** The source of the bytes: a stream, or another kind of connection. */
    public interface Source {

        /** Whether the peer can send no data until unread bytes are read or copied. */
        boolean isPeerStopped();

        /**
         * The application reads a buffer, or a part of one.
         *
         * @param received belongs to the source from now on.
         * @param allocator makes a copy, if the source needs the buffer itself again.
         * @return owned by the caller: the buffer, or a copy.
         */
        ByteBuf deliver(ByteBuf received, ByteBufAllocator allocator);
    }

    /** Whether more bytes can arrive. */
    public enum State {
        OPEN,
        /** The peer's FIN has arrived. */
        ENDED,
        /** The connection is gone. */
        FAILED
    }

    /** Bytes of the largest copy: by default TCP passes up as much at a time. */
    private static final int MAX_COPY = 64 << 10;
    private static final int MIN_COPY = 1 << 10;

    private final ArrayDeque<ByteBuf> copies = new ArrayDeque<>();
    /** Readable bytes of the copies. */
    private int copied;
    private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>();
    /** One for each empty buffer among them, in the same order. */
    private final ArrayDeque<RdmaImmediate> immediates = new ArrayDeque<>();
    private State state = State.OPEN;
    private IOException failure;
    private boolean discards;
    /** {@code null} before there is one. */
    private Source source;

    /** Names the source, before it adds anything. */
    public void attach(Source to) {
        source = to;
    }

    /** Adds bytes, at least one. Takes over the buffer's reference. */
    public void add(ByteBuf buffer) {
        if (discards) {
            buffer.release();
        } else {
            buffers.add(buffer);
        }
    }

    /** An immediate has come behind all bytes. Takes over the reference of its receive, an empty buffer. */
    public void add(ByteBuf receive, RdmaImmediate immediate) {
        if (!discards) {
            immediates.add(immediate);
        }
        add(receive);
    }

    /** Whether an immediate is next. */
    public boolean isImmediateNext() {
        return copies.isEmpty() && !buffers.isEmpty() && isImmediate(buffers.peek());
    }

    /** Only the receive of an immediate is empty: frames of data have at least a byte. */
    private static boolean isImmediate(ByteBuf buffer) {
        return !buffer.isReadable();
    }

    /** Reads the immediate that is next. Its receive can be posted again. */
    public RdmaImmediate readImmediate() {
        buffers.remove().release();
        return immediates.remove();
    }

    /** The peer sends no more. */
    public void end() {
        if (state == State.OPEN) {
            state = State.ENDED;
        }
    }

    /** The connection is gone. Bytes received before can still be read. */
    public void fail(IOException cause) {
        if (state != State.FAILED) {
            state = State.FAILED;
            failure = cause;
        }
    }

    public State state() {
        return state;
    }

    /** The cause of the failure; {@code null} if there is none. */
    public IOException failure() {
        return failure;
    }

    public boolean isEmpty() {
        return buffers.isEmpty() && copies.isEmpty();
    }

    /**
     * Reads the next bytes: a received buffer itself, or a part of it, or a copy if the application holds so many
     * receives that the peer would stop. The input must not be empty.
     *
     * @param maxBytes maximum of bytes. A larger buffer is read in parts, and posted again when the last of them is
     *        released.
     * @param allocator makes the copy.
     * @return owned by the caller; {@code null} if there was no memory for a copy: then bytes are lost, and the input
     *         has failed.
     */
    public ByteBuf read(int maxBytes, ByteBufAllocator allocator) {
        try {
            return source.deliver(take(maxBytes, allocator), allocator);
        } catch (Throwable e) {
            release();
            fail(new IOException("cannot copy received bytes: " + e.getMessage(), e));
            return null;
        }
    }

    private ByteBuf take(int maxBytes, ByteBufAllocator allocator) {
        if (copies.isEmpty()) {
            return take(buffers, maxBytes, allocator);
        }
        ByteBuf head = copies.peek();
        ByteBuf taken = take(copies, maxBytes, allocator);
        copied -= taken.readableBytes();
        if (taken == head) {
            // From now on it is the application's.
            uncount(head);
        }
        return taken;
    }

    /** Not a slice, which could not grow: a program may append to what it reads from a socket. */
    private static ByteBuf take(ArrayDeque<ByteBuf> from, int maxBytes, ByteBufAllocator allocator) {
        ByteBuf head = from.peek();
        if (head.readableBytes() <= maxBytes) {
            return from.poll();
        }
        if (RegisteredByteBuf.of(head) != null) {
            return ReceivedPart.read(head, maxBytes);
        }
        try {
            return allocator.ioBuffer(maxBytes).writeBytes(head, maxBytes);
        } catch (OutOfMemoryError e) {
            // Of a copy in another owner's memory. It cannot grow, and the bytes are there.
            return head.readRetainedSlice(maxBytes);
        }
    }

    /** Whether the peer can send no data until the unread bytes are read or copied. */
    public boolean isPeerStopped() {
        return source != null && source.isPeerStopped();
    }

    /**
     * Copies whole buffers and releases them, so that their receives are posted again. All copies together have at most
     * {@code maxBytes} bytes, and take no more of an allocator of ours than {@link TransportMemory} allows.
     *
     * @param memory makes the copies. If it throws, the buffers that were not copied stay.
     * @return the number of bytes that were copied.
     */
    public int copyUnread(int maxBytes, ByteBufAllocator memory) {
        int before = copied;
        int remaining = unread();
        while (!buffers.isEmpty() && !isImmediate(buffers.peek())
                && buffers.peek().readableBytes() <= maxBytes - copied) {
            ByteBuf buffer = buffers.peek();
            while (buffer.isReadable()) {
                ByteBuf copy = tail(remaining - (copied - before), maxBytes - copied, memory);
                if (copy == null) {
                    return copied - before;
                }
                int count = Math.min(copy.writableBytes(), buffer.readableBytes());
                copy.writeBytes(buffer, count);
                copied += count;
            }
            buffers.poll().release();
        }
        return copied - before;
    }

    private int unread() {
        int bytes = 0;
        for (ByteBuf buffer : buffers) {
            bytes += buffer.readableBytes();
        }
        return bytes;
    }

    /**
     * Returns the last copy if it has room; otherwise a new one, larger the more there is to copy; {@code null} if the
     * rest of the memory is for others.
     */
    private ByteBuf tail(int remaining, int maxBytes, ByteBufAllocator memory) {
        ByteBuf last = copies.peekLast();
        if (last == null || !last.isWritable()) {
            int size = Math.min(MAX_COPY, Math.max(MIN_COPY, Math.max(remaining, copied)));
            last = newCopy(Math.min(size, maxBytes), memory);
        }
        return last;
    }

    private ByteBuf newCopy(int size, ByteBufAllocator memory) {
        if (memory instanceof RdmaByteBufAllocator ours && !TransportMemory.of(ours).takeIfPlenty(size)) {
            return null;
        }
        ByteBuf copy = null;
        try {
            copy = memory.ioBuffer(size);
        } finally {
            if (copy == null && memory instanceof RdmaByteBufAllocator ours) {
                TransportMemory.of(ours).give(size);
            }
        }
        copies.add(copy);
        return copy;
    }

    private static void uncount(ByteBuf copy) {
        if (copy.alloc() instanceof RdmaByteBufAllocator ours) {
            TransportMemory.of(ours).give(copy.capacity());
        }
    }

    /** The channel is closed: releases the unread bytes, and all that arrive later. */
    public void discard() {
        discards = true;
        release();
    }

    private void release() {
        copies.forEach(StreamInput::uncount);
        release(copies);
        copied = 0;
        release(buffers);
        immediates.clear();
    }

    private static void release(ArrayDeque<ByteBuf> all) {
        for (ByteBuf buffer = all.poll(); buffer != null; buffer = all.poll()) {
            buffer.release();
        }
    }
}
