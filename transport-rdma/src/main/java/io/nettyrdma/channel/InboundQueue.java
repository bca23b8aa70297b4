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

import java.io.IOException;
import java.util.ArrayDeque;

/**
 * What has come from the peer and was not read yet: buffers in order, and behind them what ended them.
 *
 * <pre>
 *   OPEN ---- end() ----> ENDED      the peer sends no more
 *     |                     |
 *     +---- fail(why) ------+------> FAILED    the connection is gone; the first reason stays
 * </pre>
 *
 * Belongs to the event loop.
 */
final class InboundQueue {

    enum State { OPEN, ENDED, FAILED }

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
        return buffers.isEmpty();
    }

    /**
     * The next bytes, at most as many as guessed; the caller owns them. A larger buffer is handed out in slices, and
     * given back when the last of them is released.
     */
    ByteBuf take(int most) {
        ByteBuf head = buffers.peek();
        if (head.readableBytes() > most) {
            return head.readRetainedSlice(most);
        }
        return buffers.poll();
    }

    /** Nobody will read them. */
    void release() {
        for (ByteBuf buffer = buffers.poll(); buffer != null; buffer = buffers.poll()) {
            buffer.release();
        }
    }
}
