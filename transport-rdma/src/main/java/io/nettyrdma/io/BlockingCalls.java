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

import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.memory.LoopTasks;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The {@link BlockingCall}s of one loop. Helper threads, which the loops of the process share, make the calls; the
 * callers are notified on the loop. At its end the loop waits a second for calls, and no longer:
 *
 * <pre>
 *   loop     start ............ notify               start ....... end
 *   helper         call ------^                            call ----------------- notify, close
 * </pre>
 *
 * The caller of a call that returns after the end is notified on the helper thread. The last one closes what the loop
 * has left open.
 */
final class BlockingCalls {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(BlockingCalls.class);

    /** A host that does not answer keeps a thread busy as long as TCP retries, two minutes on Linux. */
    private static final int MOST_THREADS = 64;
    private static final int IDLE_SECONDS = 1;
    /** The same time that the loop's end has for other work. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final AtomicInteger THREAD_NUMBERS = new AtomicInteger();
    private static final Waiting WAITING = new Waiting();
    private static final ThreadPoolExecutor THREADS = new ThreadPoolExecutor(0, MOST_THREADS, IDLE_SECONDS,
            TimeUnit.SECONDS, WAITING, BlockingCalls::newThread,
            (work, threads) -> WAITING.add(work));

    private final ThreadAwareExecutor executor;
    private final RdmaCounters counters;
    /** Calls that have returned before the loop's end, and whose callers are not notified yet. */
    private final Queue<BlockingCall> returned = new ArrayDeque<>();
    /** Calls not notified yet and ids not closed yet; one more until the end. */
    private int pending = 1;
    /** Held during a notification after the end. */
    private final Object afterEnd = new Object();
    /** Runs when no call is left; {@code null} before the end. */
    private Runnable atEnd;

    BlockingCalls(ThreadAwareExecutor executor, RdmaCounters counters) {
        this.executor = executor;
        this.counters = counters;
    }

    /** Not one of Netty's threads, which may not block: BlockHound would end the call. */
    private static Thread newThread(Runnable work) {
        Thread thread = new Thread(null, work, "rdma-blocking-call-" + THREAD_NUMBERS.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        return thread;
    }

    /** Loop's thread. */
    BlockingCall start(BlockingCall.Call call, Consumer<Throwable> onReturn) {
        BlockingCall started = new BlockingCall(call, onReturn);
        execute(() -> make(started));
        return started;
    }

    /** Closes an id that is no longer needed, without a notification. Loop's thread, or after its end a helper's. */
    void close(CmId id) {
        execute(() -> destroy(id));
    }

    private void destroy(CmId id) {
        try {
            id.close();
        } catch (IOException | IllegalStateException e) {
            UnclosedObjects.log(id, e);
        }
        done();
    }

    private void execute(Runnable work) {
        synchronized (this) {
            pending++;
        }
        if (THREADS.getActiveCount() >= MOST_THREADS) {
            counters.increment(RdmaCounter.BLOCKING_CALLS_HELD_BACK);
        }
        THREADS.execute(work);
    }

    private void make(BlockingCall call) {
        if (!call.make()) {
            done();
            return;
        }
        if (waitsForLoop(call)) {
            // A loop that ends takes what has returned by itself.
            LoopTasks.execute(executor, this::reportReturned);
            return;
        }
        // The loop's objects have no thread any more: helper threads notify one at a time.
        synchronized (afterEnd) {
            report(call);
        }
    }

    /** Returns true, and keeps the call, before the end: the loop may still use the objects of the call. */
    private synchronized boolean waitsForLoop(BlockingCall call) {
        notifyAll();
        return atEnd == null && returned.add(call);
    }

    /** Notifies the callers of all calls that have returned. Loop's thread. A loop that ends runs no tasks. */
    void reportReturned() {
        for (BlockingCall call = nextReturned(); call != null; call = nextReturned()) {
            report(call);
        }
    }

    private synchronized BlockingCall nextReturned() {
        return returned.poll();
    }

    private void report(BlockingCall call) {
        try {
            call.report();
        } catch (Throwable e) {
            LOGGER.warn("the notification of a blocking call that has returned failed", e);
        }
        done();
    }

    private void done() {
        Runnable last;
        synchronized (this) {
            pending--;
            last = pending == 0 ? atEnd : null;
            notifyAll();
        }
        if (last != null) {
            last.run();
        }
    }

    /**
     * Called on the loop's thread at its end.
     *
     * @param close runs when all calls have returned, on the thread that notifies the last one.
     */
    void end(Runnable close) {
        long start = System.nanoTime();
        for (BlockingCall call = lastReturned(start, close); call != null; call = lastReturned(start, close)) {
            report(call);
        }
        done();
    }

    /** {@code null} if the time is over and no call is left. From then on helper threads notify callers themselves. */
    private synchronized BlockingCall lastReturned(long start, Runnable close) {
        awaitReturned(start);
        BlockingCall call = returned.poll();
        if (call == null) {
            atEnd = close;
            if (pending > 1) {
                LOGGER.warn("the event loop ends before {} calls have returned: what they use is closed when they do",
                        pending - 1);
            }
        }
        return call;
    }

    private synchronized void awaitReturned(long start) {
        boolean interrupted = false;
        long remainingNanos = END_NANOS;
        while (returned.isEmpty() && pending > 1 && remainingNanos > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, remainingNanos);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            remainingNanos = END_NANOS - (System.nanoTime() - start);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Work goes to an idle thread, otherwise to a new one, and at the maximum of threads to the queue. */
    private static final class Waiting extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1;

        @Override
        public boolean offer(Runnable work) {
            return tryTransfer(work);
        }

        @Override
        public boolean add(Runnable work) {
            return super.offer(work);
        }
    }
}
