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
import io.netty.buffer.ByteBufAllocator;

import java.io.IOException;
import java.util.ArrayDeque;

/**
 * What has come from the peer and was not read yet: buffers in order, and behind them what ended them.
 *
 * <pre>
 *   oldest                                      newest
 *   [ copies, put together ] [ buffers that were received into ]
 *                            &lt;--- {@link #copy}
 *
 *   OPEN ---- end() ----> ENDED      the peer sends no more
 *     |                     |
 *     +---- fail(why) ------+------> FAILED    the connection is gone; the first reason stays
 * </pre>
 *
 * Belongs to the event loop.
 */
final class InboundQueue {

    enum State { OPEN, ENDED, FAILED }

    /** The size of a copy: TCP hands up as much at a time, at most, unless it is told otherwise. */
    private static final int MOST_OF_A_COPY = 64 << 10;
    private static final int LEAST_OF_A_COPY = 1 << 10;

    private final ArrayDeque<ByteBuf> copies = new ArrayDeque<>();
    /** Bytes that can be read of the copies. */
    private int copied;
    private final ArrayDeque<ByteBuf> buffers = new ArrayDeque<>();
    private State state = State.OPEN;
    private IOException failure;

    /** Takes over the buffer's reference. */
    void add(ByteBuf buffer) {
        buffers.add(buffer);
    }

    void end() {
        if (state == State.OPEN) {
            state = State.ENDED;
        }
    }

    void fail(IOException why) {
        if (state != State.FAILED) {
            state = State.FAILED;
            failure = why;
        }
    }

    State state() {
        return state;
    }

    /** Why it failed; {@code null} before. */
    IOException failure() {
        return failure;
    }

    boolean isEmpty() {
        return buffers.isEmpty() && copies.isEmpty();
    }

    /**
     * The next bytes, at most as many as guessed; the caller owns them. A larger buffer is handed out in slices, and
     * given back when the last of them is released.
     */
    ByteBuf take(int most) {
        if (copies.isEmpty()) {
            return take(buffers, most);
        }
        ByteBuf taken = take(copies, most);
        copied -= taken.readableBytes();
        return taken;
    }

    private static ByteBuf take(ArrayDeque<ByteBuf> from, int most) {
        ByteBuf head = from.peek();
        if (head.readableBytes() > most) {
            return head.readRetainedSlice(most);
        }
        return from.poll();
    }

    /**
     * Copies whole buffers, and gives them back, as long as the copies have no more than {@code most} bytes.
     *
     * @param memory where the copies are made. If it throws, what was not copied is still there.
     * @return bytes that were copied.
     */
    int copy(int most, ByteBufAllocator memory) {
        int before = copied;
        int left = unread();
        while (!buffers.isEmpty() && buffers.peek().readableBytes() <= most - copied) {
            ByteBuf buffer = buffers.peek();
            while (buffer.isReadable()) {
                ByteBuf copy = tail(left - (copied - before), most - copied, memory);
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

    /** The last copy if it has room; else a new one, larger the more there is. */
    private ByteBuf tail(int left, int most, ByteBufAllocator memory) {
        ByteBuf last = copies.peekLast();
        if (last == null || !last.isWritable()) {
            int size = Math.min(MOST_OF_A_COPY, Math.max(LEAST_OF_A_COPY, Math.max(left, copied)));
            size = Math.min(size, most);
            last = memory.ioBuffer(size, size);
            copies.add(last);
        }
        return last;
    }

    /** Nobody will read them. */
    void release() {
        release(copies);
        copied = 0;
        release(buffers);
    }

    private static void release(ArrayDeque<ByteBuf> all) {
        for (ByteBuf buffer = all.poll(); buffer != null; buffer = all.poll()) {
            buffer.release();
        }
    }
}
