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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.concurrent.TimeUnit;

/**
 * A loop that the test itself runs, one round at a time, and that can run a hook at chosen moments of a round: whenever
 * the handler asks whether it may block. An event-only handler that has work in flight asks
 *
 * <pre>
 *   1   after it has polled and found nothing
 *       arms, polls again
 *   2   epoll's handler: before it says that it sleeps
 *   3   epoll's handler: after it has said so
 * </pre>
 */
final class HookedLoop implements AutoCloseable {

    /** Questions in a round that sleeps. */
    static final int QUESTIONS = 3;
    /** A round that only polls asks whether there are tasks, and when the next one is due. */
    private static final int BUSY_QUESTIONS = 2;

    private final ManualIoEventLoop loop;
    private Runnable hook;
    private int hookedQuestion;
    private int questions;
    private boolean reportsActiveTime;
    private long activeNanos;

    HookedLoop(RdmaIoHandlerConfig config) {
        IoHandlerFactory factory = RdmaIoHandler.newFactory(config);
        loop = new ManualIoEventLoop(Thread.currentThread(), executor -> new Handler(factory.newHandler(executor)));
    }

    static int questions(PollMode mode) {
        return mode == PollMode.BUSY ? BUSY_QUESTIONS : QUESTIONS;
    }

    ManualIoEventLoop loop() {
        return loop;
    }

    /** Runs the hook once, right after the question is answered, in the next round that gets so far. */
    void atQuestion(int question, Runnable happening) {
        hookedQuestion = question;
        hook = happening;
    }

    /** Whether the hook has run. */
    boolean hasHappened() {
        return hook == null;
    }

    void reportActiveTime() {
        reportsActiveTime = true;
    }

    /** The active time reported since the last call. */
    long takeActiveNanos() {
        long taken = activeNanos;
        activeNanos = 0;
        return taken;
    }

    /** Runs one round. Fails the test if it waits for longer than any operation takes. */
    void runOnce() {
        questions = 0;
        Deadline deadline = Deadline.standard();
        loop.run(deadline.remainingNanos());
        if (deadline.remainingNanos() == 0) {
            throw new AssertionError("the loop has waited, and nothing woke it");
        }
    }

    void runUntil(String awaited, Deadline.Condition condition) throws Exception {
        Deadline deadline = Deadline.standard();
        while (!condition.holds()) {
            if (deadline.remainingNanos() == 0) {
                throw new AssertionError("waited in vain for " + awaited);
            }
            loop.run(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    @Override
    public void close() {
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        while (!loop.isTerminated()) {
            loop.runNow();
        }
    }

    private final class Handler extends ForwardingHandler {

        Handler(IoHandler tested) {
            super(tested);
        }

        @Override
        public int run(IoHandlerContext context) {
            return super.run(new Context(context));
        }
    }

    private final class Context implements IoHandlerContext {

        private final IoHandlerContext given;

        Context(IoHandlerContext given) {
            this.given = given;
        }

        @Override
        public boolean canBlock() {
            boolean answer = given.canBlock();
            asked();
            return answer;
        }

        /** The hook affects only the next answer, because this one was determined before. */
        private void asked() {
            if (++questions == hookedQuestion && hook != null) {
                Runnable happening = hook;
                hook = null;
                happening.run();
            }
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            long answer = given.delayNanos(currentTimeNanos);
            asked();
            return answer;
        }

        @Override
        public long deadlineNanos() {
            return given.deadlineNanos();
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return reportsActiveTime;
        }

        @Override
        public void reportActiveIoTime(long nanos) {
            activeNanos += nanos;
        }
    }
}
