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
import io.nettyrdma.metrics.RdmaCounters;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The event loop of RDMA channels, and of TCP channels next to them:
 *
 * <pre>
 *   new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory())
 * </pre>
 *
 * It polls completion queues and leaves everything else to a handler of Netty's epoll transport: wakeups, timers,
 * epoll's own channels, and the descriptors of completion channels, connection manager and devices.
 */
public final class RdmaIoHandler implements IoHandler {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaIoHandler.class);

    /** How long the end of the loop waits for handles to close in order, and then for work that the device has. */
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

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
    private State state = State.RUNNING;

    /** @param clock nanoseconds that never go back. */
    RdmaIoHandler(ThreadAwareExecutor executor, RdmaIoHandlerConfig config, IoHandler epoll, LongSupplier clock) {
        this.executor = executor;
        this.epoll = epoll;
        mode = config.mode();
        RdmaCounters counters = new RdmaCounters();
        dispatcher = new EventDispatcher(counters, config.spin().toNanos());
        poller = new CompletionPoller(dispatcher, clock);
        policy = new PollPolicy(config, clock);
        waiter = new LoopWaiter(epoll, poller, policy);
        loop = new RdmaLoop(executor, config, epoll, counters, LOOPS.getAndIncrement() & Integer.MAX_VALUE, dispatcher,
                poller);
    }

    /** Loops as {@link RdmaIoHandlerConfig#DEFAULT} says. */
    public static IoHandlerFactory newFactory() {
        return newFactory(RdmaIoHandlerConfig.DEFAULT);
    }

    /** @throws UnsatisfiedLinkError if RDMA, or epoll, cannot be used here; the message says why. */
    public static IoHandlerFactory newFactory(RdmaIoHandlerConfig config) {
        Objects.requireNonNull(config, "config");
        Rdma.ensureAvailability();
        return new Factory(config, EpollIoHandler.newFactory());
    }

    private record Factory(RdmaIoHandlerConfig config, IoHandlerFactory epoll) implements IoHandlerFactory {

        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
            return new RdmaIoHandler(executor, config, epoll.newHandler(executor), System::nanoTime);
        }

        /** A loop without channels can give its thread back, and go on with another. */
        @Override
        public boolean isChangingThreadSupported() {
            return epoll.isChangingThreadSupported();
        }
    }

    @Override
    public void initialize() {
        epoll.initialize();
        if (executor instanceof SingleThreadEventExecutor ending) {
            ending.addShutdownHook(shutdownHook);
        }
    }

    /**
     * Netty looks for the end of a loop between its I/O and its tasks. If a task ends the loop, or somebody else while
     * tasks run, and there is no quiet period, then Netty does not look again; but it runs the hooks, and what they
     * leave to the loop's tasks still runs.
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

    /** A busy loop with a handle spins also while nothing but events of the connection manager can come. */
    private boolean mayPoll() {
        return poller.hasQueues() || mode == PollMode.BUSY && dispatcher.size() > 0;
    }

    private void runPending() {
        if (loop.hasPending()) {
            try {
                loop.runPending();
            } catch (Exception e) {
                LOGGER.error("events of the connection manager cannot be taken", e);
            }
        }
    }

    /** Any thread. Costs a system call only if the loop sleeps. */
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
     * Handles of ours, and what epoll's handler takes. Asked for one of epoll's interfaces the answer is no: who asks
     * that way looks for the transport of a group that somebody gave him, and would open TCP channels on it. A channel
     * asks with its own class.
     */
    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType)
                || !handleType.isInterface() && epoll.isCompatible(handleType);
    }

    /**
     * Called again and again until the loop ends, and at least once: who ends a group without a quiet period gives no
     * more time than this. The closes get it here, and only then can what they leave to the loop's tasks still run.
     */
    @Override
    public void prepareToDestroy() {
        state = State.CLOSING;
        closeHandles();
        // Stops watching our descriptors too; and some loops do not run their handler any more.
        epoll.prepareToDestroy();
        loop.pollCmEvents();
        long start = System.nanoTime();
        do {
            runPending();
            poller.poll(loopContext);
            dispatcher.endCancelled();
            Thread.yield();
        } while ((loop.hasPending() || isClosing()) && System.nanoTime() - start < DRAIN_NANOS);
        closeHandles();
    }

    /** A handle that is closing already has to be done with it. */
    private void closeHandles() {
        for (RdmaIoRegistration registration : dispatcher.all()) {
            if (registration.isValid()) {
                dispatcher.close(registration);
            }
        }
    }

    /** Whether a handle has something to end in order; those that are cancelled too, which have closed before. */
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
        // Not even hooks, if there were tasks at Netty's last look as well: channels are closed, but cannot tell it.
        endSoon();
        state = State.CLOSED;
        try {
            drain();
            loop.close();
        } catch (Exception e) {
            LOGGER.warn("the event loop leaves something open", e);
        } finally {
            epoll.destroy();
        }
    }

    /** Nobody is unregistered while the device may touch his memory, if the device answers in time. */
    private void drain() {
        RdmaIoRegistration[] left = dispatcher.all();
        for (RdmaIoRegistration registration : left) {
            registration.cancel();
        }
        loop.flush();
        dispatcher.endCancelled();
        long start = System.nanoTime();
        while (dispatcher.size() > 0 && System.nanoTime() - start < DRAIN_NANOS) {
            poller.poll(loopContext);
            dispatcher.endCancelled();
            Thread.yield();
        }
        for (RdmaIoRegistration registration : dispatcher.all()) {
            LOGGER.warn("{} ends with {} work requests outstanding", registration,
                    registration.handle().outstandingWork());
            dispatcher.end(registration);
        }
    }
}
