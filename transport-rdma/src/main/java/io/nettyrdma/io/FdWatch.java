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

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Calls a reader whenever a file descriptor is readable. Does not own the descriptor.
 *
 * <pre>
 *                    a read fails
 *   WATCHING ------------------------------&gt; PAUSING
 *       ^                                      |
 *       +---------- 1 ms, 2 ms, ... 1 s -------+
 * </pre>
 *
 * After a failed read the descriptor stays readable, and would keep the loop from all other work. But a later read may
 * succeed, for instance when there is memory again, and handles must not wait for their events without limit.
 */
final class FdWatch implements EpollIoHandle {

    /** Reads events. Events that are left make the descriptor readable again. */
    @FunctionalInterface
    interface Reader {
        void read() throws Exception;
    }

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(FdWatch.class);

    private static final int FIRST_PAUSE_MILLIS = 1;
    private static final int LONGEST_PAUSE_MILLIS = 1000;

    private final ThreadAwareExecutor executor;
    private final RdmaCounters counters;
    private final FileDescriptor fd;
    private final String name;
    private final Reader reader;
    private IoRegistration registration;
    private int pauseMillis = FIRST_PAUSE_MILLIS;
    private final LogLimit logs = new LogLimit(System::nanoTime);

    private FdWatch(ThreadAwareExecutor executor, RdmaCounters counters, int fd, String name, Reader reader) {
        this.executor = executor;
        this.counters = counters;
        this.fd = new FileDescriptor(fd);
        this.name = name;
        this.reader = reader;
    }

    /** @param name the descriptor's owner, for messages. */
    static FdWatch start(RdmaLoop loop, int fd, String name, Reader reader) throws IOException {
        FdWatch watch = new FdWatch(loop.executor(), loop.counters(), fd, name, reader);
        watch.start(loop.epoll());
        return watch;
    }

    private void start(IoHandler epoll) throws IOException {
        try {
            registration = epoll.register(this);
            registration.submit(EpollIoOps.EPOLLIN);
        } catch (Exception e) {
            stop();
            throw new IOException("the events of " + name + " cannot be watched: " + e.getMessage(), e);
        }
    }

    /** Called before the descriptor is closed, because its number may be reused at once. */
    void stop() {
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    public FileDescriptor fd() {
        return fd;
    }

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        try {
            reader.read();
            pauseMillis = FIRST_PAUSE_MILLIS;
        } catch (Exception e) {
            counters.increment(RdmaCounter.UNREADABLE_EVENTS);
            log(e);
            pause();
        }
    }

    private void log(Exception cause) {
        if (logs.allows()) {
            LOGGER.error("the events of {} cannot be read; they wait, and it is tried again, at most every {} ms", name,
                    LONGEST_PAUSE_MILLIS, cause);
        }
    }

    /** A loop without timers retries at once, and stays busy. */
    private void pause() {
        if (executor instanceof EventExecutor timers && registration.isValid()) {
            // NONE would end the registration for good.
            registration.submit(EpollIoOps.EPOLLERR);
            timers.schedule(this::resume, pauseMillis, TimeUnit.MILLISECONDS);
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS);
        }
    }

    private void resume() {
        if (registration.isValid()) {
            registration.submit(EpollIoOps.EPOLLIN);
        }
    }

    /** The loop ends and stops watching by itself. */
    @Override
    public void close() {
    }
}
