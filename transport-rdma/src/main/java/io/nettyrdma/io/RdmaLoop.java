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
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * What a loop has for its handles: the channel for the events of their ids, and the devices that they work on. Both are
 * opened when they are first needed, and closed at the end of the loop. A handle gets it by
 * {@link RdmaIoRegistration#loop}:
 *
 * <pre>
 *   IoRegistration of the event loop ---attachment()---&gt; RdmaIoRegistration ---loop()---&gt; RdmaLoop
 *                                                                                 |---&gt; CmEventChannel
 *                                                                                 +---&gt; LoopDevice, by name
 * </pre>
 *
 * Loop's thread only.
 */
public final class RdmaLoop {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaLoop.class);

    private final ThreadAwareExecutor executor;
    private final RdmaIoHandlerConfig config;
    private final IoHandler epoll;
    private final RdmaCounters counters;
    private final int completionVector;
    private final EventDispatcher dispatcher;
    private final CompletionPoller poller;
    private final Vigil vigil;
    private final BlockingCalls blockingCalls;
    private final Map<String, LoopDevice> devices = new HashMap<>();
    private final List<LoopDevice> forgotten = new ArrayList<>();
    private CmEventPump cmEvents;
    private FdWatch cmWatch;
    private boolean cmPollWanted;
    /** What was left for later, one a turn. */
    private final Queue<Runnable> steps = new ArrayDeque<>();

    /** @param completionVector interrupt of the device's that is to wake this loop. */
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
        vigil = new Vigil(executor, () -> dispatcher.hasLeaving() || hasPending());
    }

    /** Runs tasks on the loop's thread, and tells that thread; any thread. */
    public ThreadAwareExecutor executor() {
        return executor;
    }

    /** What happened on this loop; any thread reads. */
    public RdmaCounters counters() {
        return counters;
    }

    RdmaIoHandlerConfig config() {
        return config;
    }

    /** Where descriptors are watched. */
    IoHandler epoll() {
        return epoll;
    }

    int completionVector() {
        return completionVector;
    }

    /**
     * The channel to make ids on. Their events go to the handle that they are attached to.
     *
     * @throws UnsatisfiedLinkError if librdmacm is not there.
     */
    public CmEventChannel cmEventChannel() throws IOException {
        if (cmEvents == null) {
            CmEventChannel channel = CmEventChannel.open();
            CmEventPump pump = new CmEventPump(channel, dispatcher);
            try {
                cmWatch = FdWatch.start(this, channel.fd(), channel.toString(), this::takeCmEvent);
            } catch (IOException | RuntimeException e) {
                pump.close();
                throw e;
            }
            cmEvents = pump;
        }
        return cmEvents.channel();
    }

    /** Has the events of an id of this loop's channel go to a handle, from now on. */
    public void attach(CmId id, RdmaIoRegistration registration) {
        cmEvents.attach(id, registration);
    }

    /** Before the id is closed, or moves to another loop. An id that is not attached is left alone. */
    public void detach(CmId id) {
        if (cmEvents != null) {
            cmEvents.detach(id);
        }
    }

    /**
     * Has an id of another loop's channel come to this loop, and its events go to a handle. Events that wait for it are
     * taken soon, though they do not make the channel readable.
     *
     * @throws IOException if it stays where it was.
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
     * This loop's part of the device that {@link CmId#deviceName} or
     * {@link io.nettyrdma.verbs.RdmaDeviceInfo#name} tells.
     *
     * @throws IOException if it cannot be opened, or has failed and is still being closed.
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
     * Has something done that keeps the device, and so the loop, busy for long, such as making a queue pair: one such
     * step in a turn of the loop, between which all completion queues are polled. What is left at the end of the loop
     * is not done.
     */
    public void inTurn(Runnable step) {
        steps.add(step);
    }

    /**
     * Has another thread make a call in which a driver may keep it waiting for long. Until it has returned, nobody else
     * touches what it works on, and the handle says that work is outstanding. The end of the loop does not wait for it
     * longer than for other work.
     *
     * @param onReturn given what it threw, or {@code null}; on the loop, or when that has ended and the handle is
     *        unregistered, on the other thread. Not called if the call is cancelled before it was made.
     */
    public BlockingCall blocking(BlockingCall.Call call, Consumer<Throwable> onReturn) {
        return blockingCalls.start(call, onReturn);
    }

    /**
     * Closes an id of this loop's channel that nobody needs any more, by another thread, as {@link #blocking}: the
     * kernel keeps who destroys an id waiting for the messages of its connection, which was seen to take a minute.
     */
    public void close(CmId id) {
        detach(id);
        blockingCalls.close(id);
    }

    /** Ends a registration when no work of its handle is outstanding any more. */
    void cancelled(RdmaIoRegistration registration) {
        dispatcher.cancelled(registration);
        vigil.begin();
    }

    /** The device has failed and nothing works on it: who asks for its name gets it anew. */
    void forget(LoopDevice device) {
        if (devices.remove(device.device().name(), device)) {
            forgotten.add(device);
        }
    }

    /** Whether something waits that no descriptor tells of. */
    boolean hasPending() {
        return cmPollWanted || !steps.isEmpty() || !forgotten.isEmpty();
    }

    /** One step, and not more: what all of them do is done to the device, which takes its time. */
    void runPending() throws IOException {
        if (!steps.isEmpty()) {
            steps.remove().run();
        } else if (cmPollWanted) {
            // First, so that a channel that cannot be polled does not keep the loop from sleeping.
            cmPollWanted = false;
            cmPollWanted = cmEvents.poll();
        }
        forgotten.forEach(LoopDevice::close);
        forgotten.clear();
    }

    /** The descriptor stays readable while there are events: what waits for its turn comes first. */
    private void takeCmEvent() throws VerbsException {
        if (!hasPending()) {
            cmPollWanted = cmEvents.poll();
        }
    }

    /** Also when nobody watches the descriptors any more. */
    void pollCmEvents() {
        cmPollWanted = cmEvents != null;
    }

    /** Has everything that is posted come back. */
    void flush() {
        devices.values().forEach(LoopDevice::flush);
    }

    /** At once, or when the last blocking call is back. */
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
