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

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How often a spinning loop reads the clock, in our code and in Netty's: both read one that the test counts. Its time
 * stands still, so the loop selects because of the number of polls and never because of the time.
 */
class ClockReadsTest {

    private static final int POLLS_PER_SELECT = 128;
    private static final int SELECTS = 50;
    /** Of {@link PollPolicy} before and after the look at the descriptors, and of Netty's loop. */
    private static final int READS_PER_SELECT = 5;

    private final CompletableFuture<Integer> readsBetweenSelects = new CompletableFuture<>();
    /** Set once the loop has a handle; before that it never spins. */
    private final AtomicBoolean spins = new AtomicBoolean();

    @Test
    void emptyPollsReadTheClockAsSeldomAsThePolicySays() throws Exception {
        CountingLoop loop = new CountingLoop();
        try {
            // As a keepalive timer does, it makes Netty compare the time at each check.
            loop.schedule(() -> { }, 1, TimeUnit.HOURS);
            loop.register(new TestHandle()).sync();
            spins.set(true);
            int reads = readsBetweenSelects.get(1, TimeUnit.MINUTES);
            assertThat(reads).isPositive().isLessThanOrEqualTo(
                    SELECTS * (POLLS_PER_SELECT / PollPolicy.EMPTY_POLLS_PER_CLOCK + READS_PER_SELECT));
        } finally {
            loop.clock.run();
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }

    private final class CountingLoop extends SingleThreadIoEventLoop {

        /** {@code null} while the superclass is being constructed. */
        private final CountingClock clock = new CountingClock();

        CountingLoop() {
            super(null, new DefaultThreadFactory("counting", true), new Factory());
        }

        @Override
        public Ticker ticker() {
            return clock == null ? Ticker.systemTicker() : clock;
        }
    }

    private final class Factory implements IoHandlerFactory {

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            return new RdmaIoHandler(executor, RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.BUSY)
                    .withSelect(POLLS_PER_SELECT, Duration.ofDays(1)), new Epoll((CountingLoop) executor),
                    () -> ((CountingLoop) executor).ticker().nanoTime());
        }

        /** Makes Netty measure the time of handles. */
        @Override
        public boolean isChangingThreadSupported() {
            return true;
        }
    }

    /** Used on the loop's thread, except by the call that schedules a task. */
    private static final class CountingClock implements Ticker {

        private volatile int reads;
        private long now;
        private boolean runs;

        /** Netty's shutdown waits for time to pass. */
        synchronized void run() {
            runs = true;
        }

        @Override
        public long initialNanoTime() {
            return 0;
        }

        @Override
        public synchronized long nanoTime() {
            reads++;
            now += runs ? 1 : 0;
            return now;
        }

        @Override
        public void sleep(long delay, TimeUnit unit) {
            throw new UnsupportedOperationException();
        }
    }

    /** Replaces epoll's handler, which the loop runs once per fixed number of polls. */
    private final class Epoll implements IoHandler {

        private final CountingLoop loop;
        private int selects;
        private int readsBefore;

        Epoll(CountingLoop loop) {
            this.loop = loop;
        }

        @Override
        public int run(IoHandlerContext context) {
            if (spins.get()) {
                count();
            }
            return 0;
        }

        private void count() {
            if (selects == 0) {
                readsBefore = loop.clock.reads;
            } else if (selects == SELECTS) {
                readsBetweenSelects.complete(loop.clock.reads - readsBefore);
            }
            selects++;
        }

        @Override
        public void prepareToDestroy() {
            readsBetweenSelects.completeExceptionally(new AssertionError("the loop ended too early"));
        }

        @Override
        public void destroy() {
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void wakeup() {
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    }
}
