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

import io.netty.channel.IoHandler;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A loop's resources for its handles: the event channel of their ids, and the devices that they work on. Both are
 * opened on first use, and closed at the end of the loop. A handle gets this object by {@link RdmaIoRegistration#loop}:
 *
 * <pre>
 *   IoRegistration of the event loop ---attachment()---&gt; RdmaIoRegistration ---loop()---&gt; RdmaLoop
 *                                                                                 |---&gt; CmEventChannel
 *                                                                                 +---&gt; LoopDevice, by name
 * </pre>
 *
 * Belongs to the event loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaLoop {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaLoop.class);

    private final ThreadAwareExecutor executor;
    private final RdmaIoHandlerConfig config;
    private final IoHandler epoll;
    private final RdmaCounters counters;
    private final int completionVector;
    private final EventDispatcher dispatcher;
    private final CompletionPoller poller;
    private final SuspensionGuard suspensionGuard;
    private final BlockingCalls blockingCalls;
    /** Other threads read the names. */
    private final Map<String, LoopDevice> devices = new ConcurrentHashMap<>();
    private final List<LoopDevice> forgotten = new ArrayList<>();
    private CmEventPump cmEvents;
    private FdWatch cmWatch;
    private boolean cmPollWanted;
    /** Steps to run, one per turn of the loop. */
    private final Queue<Runnable> steps = new ArrayDeque<>();
    private boolean eventIsNext;
    private final ConnectRequests connectRequests = new ConnectRequests(steps::add);

    /** @param completionVector the device's interrupt that wakes this loop. */
    RdmaLoop(ThreadAwareExecutor executor, RdmaIoHandlerConfig config, IoHandler epoll, RdmaCounters counters,
             int completionVector, EventDispatcher dispatcher, CompletionPoller poller) {
        this.executor = executor;
        this.config = config;
        this.epoll = epoll;
        this.counters = counters;
        this.completionVector = completionVector;
        this.dispatcher = dispatcher;
        this.poller = poller;
        blockingCalls = new BlockingCalls(executor, counters);
        suspensionGuard = new SuspensionGuard(executor, () -> dispatcher.hasLeaving() || hasPending());
    }

    /** {@return what runs tasks on the loop's thread, and identifies that thread} Any thread. */
    public ThreadAwareExecutor executor() {
        return executor;
    }

    /** {@return this loop's counters} Any thread may read them. */
    public RdmaCounters counters() {
        return counters;
    }

    RdmaIoHandlerConfig config() {
        return config;
    }

    /** Watches descriptors. */
    IoHandler epoll() {
        return epoll;
    }

    int completionVector() {
        return completionVector;
    }

    /**
     * {@return the channel to create ids on} The events of an id go to the handle that it is attached to.
     *
     * @throws UnsatisfiedLinkError if librdmacm is missing.
     * @throws IOException if the call fails, with the reason.
     */
    public CmEventChannel cmEventChannel() throws IOException {
        if (cmEvents == null) {
            CmEventChannel channel = CmEventChannel.open();
            CmEventPump pump = new CmEventPump(channel, dispatcher);
            try {
                cmWatch = FdWatch.start(this, channel.fd(), channel.toString(), this::cmEventsPending);
            } catch (IOException | RuntimeException e) {
                pump.close();
                throw e;
            }
            cmEvents = pump;
        }
        return cmEvents.channel();
    }

    /**
     * Directs the events of an id of this loop's channel to a handle.
     *
     * @param id on this loop's channel.
     * @param registration of the handle.
     */
    public void attach(CmId id, RdmaIoRegistration registration) {
        cmEvents.attach(id, registration);
    }

    /**
     * Called before the id is closed or moves to another loop. Does nothing for an id that is not attached.
     *
     * @param id any id.
     */
    public void detach(CmId id) {
        if (cmEvents != null) {
            cmEvents.detach(id);
        }
    }

    /**
     * Moves an id from another loop's channel to this loop's, and directs its events to a handle. Pending events of the
     * id are taken soon, although they do not make the channel readable.
     *
     * @param id on another loop's channel.
     * @param registration of the handle.
     * @throws IOException if the id stays on its channel.
     */
    public void migrate(CmId id, RdmaIoRegistration registration) throws IOException {
        CmEventChannel channel = cmEventChannel();
        cmEvents.attach(id, registration);
        try {
            id.migrate(channel);
        } catch (VerbsException | RuntimeException e) {
            cmEvents.detach(id);
            throw e;
        }
        cmPollWanted = true;
    }

    /**
     * {@return this loop's objects on the device with a name from {@link CmId#deviceName} or {@link
     * io.nettyrdma.verbs.RdmaDeviceInfo#name}}
     *
     * @param name of the device.
     * @throws IOException if the device cannot be opened, or has failed and still has connections.
     */
    public LoopDevice device(String name) throws IOException {
        LoopDevice device = devices.get(name);
        if (device == null) {
            device = new LoopDevice(this, name, dispatcher, poller);
            devices.put(name, device);
        }
        if (device.hasFailed()) {
            throw new IOException("device " + name + " has failed, and is closed when its last connection is");
        }
        return device;
    }

    /**
     * Schedules a step that keeps the device, and so the loop, busy for a long time, such as the creation of a queue
     * pair. The loop runs one step per turn, and polls all completion queues between two. Steps that are left at the
     * end of the loop do not run.
     *
     * @param step runs once.
     */
    public void enqueueStep(Runnable step) {
        steps.add(step);
    }

    /** {@return the requests to connect that servers have not answered} */
    public ConnectRequests connectRequests() {
        return connectRequests;
    }

    /**
     * Called by the handle of a CM event that takes as long as a step, although events of its type usually do not: a
     * request that is refused. The turn takes no further event.
     */
    public void endStep() {
        cmEvents.endStep();
    }

    /**
     * Makes a call that a driver may block for a long time, on another thread. Until it returns, no other call may use
     * the object that it works on, and the handle must report outstanding work. The end of the loop waits for it no
     * longer than for other work.
     *
     * @param call runs on the other thread.
     * @param onReturn gets what the call threw, or {@code null}. Called on the loop, or on the other thread if the loop
     *        has ended and the handle is unregistered. Not called if the call is cancelled before it is made.
     * @return the call, which can be waited for.
     */
    public BlockingCall blocking(BlockingCall.Call call, Consumer<Throwable> onReturn) {
        return blockingCalls.start(call, onReturn);
    }

    /**
     * Closes an id of this loop's channel that is no longer needed, on another thread as for {@link #blocking}: the
     * destruction of an id waits in the kernel for the messages of its connection. That was seen to take a minute.
     *
     * @param id of this loop's channel.
     */
    public void close(CmId id) {
        detach(id);
        blockingCalls.close(id);
    }

    /** Ends a registration when no work of its handle is outstanding any more. */
    void cancelled(RdmaIoRegistration registration) {
        dispatcher.cancelled(registration);
        suspensionGuard.begin();
    }

    /** The device has failed and nothing works on it. The next request for its name opens it again. */
    void forget(LoopDevice device) {
        if (devices.remove(device.device().name(), device)) {
            forgotten.add(device);
        }
    }

    /** Whether work waits that no descriptor reports. */
    boolean hasPending() {
        return cmPollWanted || !steps.isEmpty() || !forgotten.isEmpty();
    }

    /**
     * Runs one step or takes one CM event, and no more, because each calls the device, which takes time. The two
     * alternate: events that wait for many steps would exceed the kernel's backlog.
     */
    void runPending() throws IOException {
        if (cmPollWanted && (eventIsNext || steps.isEmpty())) {
            eventIsNext = false;
            takeCmEvents();
        } else if (!steps.isEmpty()) {
            eventIsNext = true;
            run(steps.remove());
        }
        forgotten.forEach(LoopDevice::close);
        forgotten.clear();
    }

    /** A step reports its own failures. An exception that escapes nevertheless must not end the loop of others. */
    private static void run(Runnable step) {
        try {
            step.run();
        } catch (Throwable t) {
            LOGGER.error("a step of the control path failed", t);
        }
    }

    /** The descriptor is readable: takes an event, unless other work waits for its turn. */
    private void cmEventsPending() throws VerbsException {
        if (hasPending()) {
            cmPollWanted = true;
        } else {
            takeCmEvents();
        }
    }

    private void takeCmEvents() throws VerbsException {
        // Cleared first, so that a channel that cannot be polled does not keep the loop from sleeping.
        cmPollWanted = false;
        cmPollWanted = cmEvents.poll();
    }

    /**
     * For a loop that ends. It watches no descriptors and runs no tasks, so nothing announces CM events and the return
     * of blocking calls.
     */
    void drainBeforeShutdown() {
        cmPollWanted = cmEvents != null;
        blockingCalls.reportReturned();
    }

    /** The devices. Any thread. */
    @Override
    public String toString() {
        return devices.isEmpty() ? "no device yet" : String.join(", ", devices.keySet());
    }

    /** Flushes all posted work requests. */
    void flush() {
        devices.values().forEach(LoopDevice::flush);
    }

    /** Closes everything, at once or when the last blocking call has returned. */
    void close() {
        blockingCalls.end(this::closeAll);
    }

    private void closeAll() {
        devices.values().forEach(LoopDevice::close);
        devices.clear();
        forgotten.forEach(LoopDevice::close);
        forgotten.clear();
        if (cmEvents != null) {
            cmWatch.stop();
            try {
                cmEvents.close();
            } catch (VerbsException e) {
                LOGGER.warn("{} is left open", cmEvents.channel(), e);
            }
        }
    }
}
