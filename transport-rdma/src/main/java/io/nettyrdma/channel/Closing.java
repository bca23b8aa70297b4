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

import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The end that an application has asked for, and what it waits for: that all that was flushed before it is sent, up to
 * SO_SNDBUF bytes, and FIN after that, and that FIN is acknowledged. What is flushed later is not sent.
 *
 * <pre>
 *          shutdownOutput()          acknowledged: the outbound buffer is given up
 *   NONE -------------------&gt; HALF -----------------------------------------------&gt; NONE
 *    |                          |
 *    |   close()                | close()
 *    +------------------------&gt; WHOLE ------------------------------------------------&gt; DONE
 *                                        acknowledged, its time is over, or cut short
 * </pre>
 *
 * A whole end has a time limit; half of one has none, as the connection is still good for reading: who closes it gives
 * it one. Belongs to the event loop.
 */
final class Closing {

    private final Deque<ChannelPromise> halves = new ArrayDeque<>();
    private final Consumer<ChannelPromise> endOfOutput;
    /** {@code null} if nobody has closed, or that is done. */
    private Runnable end;
    private Future<?> timeout;
    /** What kept a message from being sent. */
    private Throwable failure;

    /** @param endOfOutput what half an end comes to. */
    Closing(Consumer<ChannelPromise> endOfOutput) {
        this.endOfOutput = endOfOutput;
    }

    /** Whether it is HALF or WHOLE. */
    boolean isAwaited() {
        return end != null || !halves.isEmpty();
    }

    /** A message cannot be sent, and so nothing behind it either. The first cause stays. */
    void failed(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Why what was not sent fails. */
    Throwable causeOr(Throwable other) {
        return failure == null ? other : failure;
    }

    void half(ChannelPromise promise) {
        halves.add(promise);
    }

    /**
     * @param whenDone called once, when it is acknowledged or cut short.
     * @param onTimeout called if that took too long; is to cut it short.
     */
    void whole(Runnable whenDone, EventLoop loop, long millis, Runnable onTimeout) {
        end = whenDone;
        timeout = loop.schedule(onTimeout, millis, TimeUnit.MILLISECONDS);
    }

    /** It is, or the peer has left and will not. */
    void acknowledged() {
        for (ChannelPromise next = halves.poll(); next != null; next = halves.poll()) {
            endOfOutput.accept(next);
        }
        end();
    }

    /** Nobody waits any longer. Does nothing if nobody does. */
    void cutShort(Throwable cause) {
        for (ChannelPromise next = halves.poll(); next != null; next = halves.poll()) {
            next.tryFailure(cause);
        }
        end();
    }

    private void end() {
        Runnable ending = end;
        end = null;
        if (ending != null) {
            timeout.cancel(false);
            ending.run();
        }
    }
}
