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
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.Rdma;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.metrics.RdmaLoopMetrics;
import io.nettyrdma.metrics.RdmaMetrics;

import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The event loop of RDMA channels, and of TCP channels beside them:
 *
 * <pre>
 *   new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory())
 * </pre>
 *
 * It polls completion queues. A handler of Netty's epoll transport does everything else: wakeups, timers, epoll's own
 * channels, and the descriptors of completion channels, connection manager and devices.
 *
 * @since 0.1.0
 */
public final class RdmaIoHandler implements IoHandler {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaIoHandler.class);

    /** Between two looks at the time limits of all handles, which are of milliseconds. There may be thousands. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Spreads loops over the interrupts of their devices. */
    private static final AtomicInteger LOOPS = new AtomicInteger();

    private enum State { RUNNING, CLOSING, CLOSED }

    private final PollMode mode;
    private final IoHandler epoll;
    private final EventDispatcher dispatcher;
    private final CompletionPoller poller;
    private final PollPolicy policy;
    private final LoopWaiter waiter;
    private final LoopContext loopContext = new LoopContext();
    private final RdmaLoop loop;
    private final ThreadAwareExecutor executor;
    private final Runnable shutdownHook = this::endSoon;
    private final LogLimit logs;
    private volatile State state = State.RUNNING;
    /** {@code null} before the loop runs. */
    private RdmaLoopMetrics metrics;

    /** @param clock nanoseconds that never go back. */
    RdmaIoHandler(ThreadAwareExecutor executor, RdmaIoHandlerConfig config, IoHandler epoll, LongSupplier clock) {
        this.executor = executor;
        this.epoll = epoll;
        mode = config.mode();
        RdmaCounters counters = new RdmaCounters();
        dispatcher = new EventDispatcher(counters, config.spin().toNanos());
        poller = new CompletionPoller(dispatcher, clock);
        policy = new PollPolicy(config, PollingLoops.ALL, clock, counters);
        waiter = new LoopWaiter(epoll, poller, policy);
        logs = new LogLimit(clock);
        loop = new RdmaLoop(executor, config, epoll, counters, LOOPS.getAndIncrement() & Integer.MAX_VALUE, dispatcher,
                poller);
    }

    /** {@return a factory with the configuration {@link RdmaIoHandlerConfig#DEFAULT}} */
    public static IoHandlerFactory newFactory() {
        return newFactory(RdmaIoHandlerConfig.DEFAULT);
    }

    /**
     * As {@link #newFactory()}, with a configuration.
     *
     * @param config of each loop.
     * @return the factory.
     * @throws UnsatisfiedLinkError if RDMA, or epoll, cannot be used here; the message says why.
     */
    public static IoHandlerFactory newFactory(RdmaIoHandlerConfig config) {
        Objects.requireNonNull(config, "config");
        Rdma.ensureAvailability();
        return new Factory(config, EpollIoHandler.newFactory());
    }

    /**
     * As {@link #newFactory(RdmaIoHandlerConfig)}, with handlers for everything that is not RDMA.
     *
     * @param config of each loop.
     * @param epoll creates handlers of epoll, or others that take the handles of epoll and wait for them.
     * @return the factory.
     * @throws UnsatisfiedLinkError if RDMA cannot be used here; the message says why.
     */
    @UnstableApi
    public static IoHandlerFactory newFactoryOn(RdmaIoHandlerConfig config, IoHandlerFactory epoll) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(epoll, "epoll");
        Rdma.ensureAvailability();
        return new Factory(config, epoll);
    }

    private record Factory(RdmaIoHandlerConfig config, IoHandlerFactory epoll) implements IoHandlerFactory {

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            return new RdmaIoHandler(executor, config, epoll.newHandler(executor), System::nanoTime);
        }

        /** A loop without channels can give its thread back and continue on another. */
        @Override
        public boolean isChangingThreadSupported() {
            return epoll.isChangingThreadSupported();
        }
    }

    /** {@return the counters of the loop} Any thread, also after the loop has ended. */
    @UnstableApi
    public RdmaCounters counters() {
        return loop.counters();
    }

    @Override
    public void initialize() {
        epoll.initialize();
        if (metrics == null) {
            // Not before: a group that is dropped before its threads start has to leave nothing behind.
            metrics = RdmaMetrics.started(loop.counters());
        } else {
            RdmaMetrics.continued(metrics);
        }
        if (executor instanceof SingleThreadEventExecutor ending) {
            ending.addShutdownHook(shutdownHook);
        }
    }

    /**
     * Netty checks for shutdown between a loop's I/O and its tasks. If a task, or another thread while tasks run, shuts
     * the loop down without a quiet period, Netty does not check again. But it runs the shutdown hooks, and tasks that
     * these submit still run.
     */
    private void endSoon() {
        if (state == State.RUNNING) {
            prepareToDestroy();
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        loopContext.begin(context, state == State.RUNNING);
        int handled = waiter.poll(loopContext);
        runPending();
        if (handled == 0 && mayWait()) {
            handled = waiter.await(loopContext, mayPoll());
        } else if (policy.isSelectDue() || !mayPoll()) {
            handled += waiter.selectNow(loopContext);
        }
        dispatcher.endOneCancelled();
        loopContext.end();
        return handled;
    }

    private boolean mayWait() {
        return !dispatcher.hasPending() && !loop.hasPending() && loopContext.canBlock();
    }

    /** A busy loop with a handle spins even while only events of the connection manager can arrive. */
    private boolean mayPoll() {
        return poller.hasQueues() || mode == PollMode.BUSY && dispatcher.size() > 0;
    }

    private void runPending() {
        if (loop.hasPending()) {
            try {
                loop.runPending();
            } catch (Throwable e) {
                if (logs.allows()) {
                    LOGGER.error("{}: events of the connection manager cannot be taken", this, e);
                }
            }
        }
    }

    /** Any thread. Makes a system call only if the loop sleeps. */
    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            loopContext.wakeUp();
            epoll.wakeup();
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        if (!(handle instanceof RdmaIoHandle)) {
            return epoll.register(handle);
        }
        if (state != State.RUNNING) {
            throw new IllegalStateException("the event loop ends and takes no more handles");
        }
        return dispatcher.register(loop, (RdmaIoHandle) handle);
    }

    /**
     * True for RDMA handles and for the classes that epoll's handler takes. False for epoll's interfaces: code that
     * detects the transport of a group asks with these, and would open TCP channels on it. A channel asks with its own
     * class.
     */
    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType)
                || !handleType.isInterface() && epoll.isCompatible(handleType);
    }

    /** The transport, the poll mode, the state and the devices. Any thread. */
    @Override
    public String toString() {
        return "RDMA event loop, " + mode + ", " + state + ", " + loop;
    }

    /**
     * Called repeatedly until the loop ends, and at least once. A shutdown without a quiet period leaves no more time
     * than one call. So this call waits for handles to close, and only then can the tasks that they submit still run.
     */
    @Override
    public void prepareToDestroy() {
        state = State.CLOSING;
        closeHandles();
        // This stops watching the loop's descriptors too, and some loops do not run their handler any more.
        epoll.prepareToDestroy();
        DrainTime time = new DrainTime();
        long checked = System.nanoTime() - CHECK_NANOS;
        do {
            // In each turn: the peers' answers come while this waits.
            loop.drainBeforeShutdown();
            runPending();
            poller.poll(loopContext);
            long now = System.nanoTime();
            if (now - checked >= CHECK_NANOS) {
                checked = now;
                checkTimes();
            }
            dispatcher.endCancelled();
            giveWay();
        } while ((loop.hasPending() || isClosing()) && time.isLeft());
        closeHandles();
        if (isClosing()) {
            stayInShutdown();
        }
    }

    /** A method of its own, which {@link RdmaBlockHoundIntegration} names. */
    private static void giveWay() {
        Thread.yield();
    }

    /** With a quiet period Netty waits for as long as there are tasks, at most for the group's timeout. */
    private void stayInShutdown() {
        try {
            executor.execute(() -> { });
        } catch (RejectedExecutionException e) {
            LOGGER.trace("the loop has no more time", e);
        }
    }

    private void checkTimes() {
        for (RdmaIoRegistration registration : dispatcher.all()) {
            registration.handle().checkTime();
        }
    }

    /** Closes all valid handles. A handle that is already closing must then close at once. */
    private void closeHandles() {
        for (RdmaIoRegistration registration : dispatcher.all()) {
            if (registration.isValid()) {
                dispatcher.close(registration);
            }
        }
    }

    /** Whether a handle has work outstanding. Cancelled handles, which were closed before, count too. */
    private boolean isClosing() {
        for (RdmaIoRegistration registration : dispatcher.all()) {
            if (registration.handle().outstandingWork() > 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void destroy() {
        // If there were tasks at Netty's last check, not even hooks run. Channels are closed, but cannot report it.
        endSoon();
        state = State.CLOSED;
        try {
            drain();
            loop.close();
        } catch (Exception e) {
            LOGGER.warn("{} leaves something open", this, e);
        } finally {
            epoll.destroy();
            if (metrics != null) {
                RdmaMetrics.ended(metrics);
            }
        }
    }

    /** Unregisters no handle while the device may access its memory, if the device answers in time. */
    private void drain() {
        RdmaIoRegistration[] registrations = dispatcher.all();
        for (RdmaIoRegistration registration : registrations) {
            registration.handle().giveUp();
            if (registration.handle().outstandingWork() > 0) {
                loop.counters().increment(RdmaCounter.DEPARTURES_TIMED_OUT);
            }
            registration.cancel();
        }
        loop.flush();
        dispatcher.endCancelled();
        DrainTime time = new DrainTime();
        while (dispatcher.size() > 0 && time.isLeft()) {
            poller.poll(loopContext);
            dispatcher.endCancelled();
            giveWay();
        }
        RdmaIoRegistration[] left = dispatcher.all();
        if (left.length > 0) {
            LOGGER.warn("{} ends with {} work requests outstanding, and {} other registrations with some", left[0],
                    left[0].handle().outstandingWork(), left.length - 1);
        }
        for (RdmaIoRegistration registration : left) {
            dispatcher.end(registration);
        }
    }
}
