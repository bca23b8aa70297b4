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
package io.nettyrdma.io;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The {@link BlockingCall}s of one loop. Threads of the process make them; who asked is told on the loop. The loop's
 * end does not wait for them:
 *
 * <pre>
 *   loop     start ............ tell                 start ....... end
 *   helper         call ------^                            call ----------------- tell, close
 * </pre>
 *
 * Who comes back after the end is told on the helper's thread, and the last one closes what the loop has left open.
 */
final class BlockingCalls {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(BlockingCalls.class);

    /** A host that does not answer keeps one busy for as long as TCP tries, two minutes on Linux. */
    private static final int MOST_THREADS = 64;
    private static final int IDLE_SECONDS = 10;
    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(MOST_THREADS, MOST_THREADS, IDLE_SECONDS,
            TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new DefaultThreadFactory("rdma-blocking-call", true));

    static {
        THREADS.allowCoreThreadTimeOut(true);
    }

    private final ThreadAwareExecutor executor;
    private final RdmaCounters counters;
    /** Returned after the loop took no task any more, and before its end. */
    private final Queue<BlockingCall> late = new ArrayDeque<>();
    /** Not told yet; one more until the end. */
    private int untold = 1;
    /** What is to be done when all are; {@code null} before the end. */
    private Runnable atEnd;

    BlockingCalls(ThreadAwareExecutor executor, RdmaCounters counters) {
        this.executor = executor;
        this.counters = counters;
    }

    /** Loop's thread. */
    BlockingCall start(BlockingCall.Call call, Consumer<Throwable> onReturn) {
        BlockingCall started = new BlockingCall(call, onReturn);
        synchronized (this) {
            untold++;
        }
        if (THREADS.getActiveCount() >= MOST_THREADS) {
            counters.increment(RdmaCounter.CONNECTS_HELD_BACK);
        }
        THREADS.execute(() -> make(started));
        return started;
    }

    private void make(BlockingCall call) {
        if (!call.make()) {
            told();
            return;
        }
        try {
            executor.execute(() -> tell(call));
        } catch (RejectedExecutionException e) {
            if (!waitsForEnd(call)) {
                tell(call);
            }
        }
    }

    /** The loop may still be at work with what the call has used. */
    private synchronized boolean waitsForEnd(BlockingCall call) {
        return atEnd == null && late.add(call);
    }

    private void tell(BlockingCall call) {
        try {
            call.tell();
        } catch (Throwable e) {
            LOGGER.warn("nobody took the answer of a call that had to wait", e);
        }
        told();
    }

    private void told() {
        Runnable last;
        synchronized (this) {
            untold--;
            last = untold == 0 ? atEnd : null;
        }
        if (last != null) {
            last.run();
        }
    }

    /**
     * The loop's thread, at its end.
     *
     * @param close what is to be done when all calls are back, by the thread that finds that out.
     */
    void end(Runnable close) {
        for (BlockingCall call = nextLate(close); call != null; call = nextLate(close)) {
            tell(call);
        }
        told();
    }

    /** {@code null} if there is none; from then on who comes back tells for himself. */
    private synchronized BlockingCall nextLate(Runnable close) {
        BlockingCall call = late.poll();
        if (call == null) {
            atEnd = close;
            if (untold > 1) {
                LOGGER.warn("the event loop ends before {} calls have returned: what they use is closed when they do",
                        untold - 1);
            }
        }
        return call;
    }
}
