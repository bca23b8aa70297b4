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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.recorder.Recorder;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The asynchronous events of a loop's device: which registrations each affects, and what works no more after it.
 *
 * <pre>
 *   WORKING ---DEVICE_FATAL, or a queue cannot be polled---&gt; FAILED
 * </pre>
 *
 * A completion queue may fail alone, see {@link LoopQueue}. That ends the connections whose work completes there, and
 * no others.
 */
final class DeviceFaults {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(DeviceFaults.class);

    private enum State { WORKING, FAILED }

    private final RdmaDevice device;
    private final DeviceMembers members;
    private final DeviceQueues queues;
    private final EventDispatcher dispatcher;
    private final CompletionPoller poller;
    private final RdmaCounters counters;
    private final Runnable whenFailed;
    private State state = State.WORKING;

    /**
     * @param counters the loop's.
     * @param whenFailed called once, after the registrations were notified.
     */
    DeviceFaults(RdmaDevice device, DeviceMembers members, DeviceQueues queues, EventDispatcher dispatcher,
                 CompletionPoller poller, RdmaCounters counters, Runnable whenFailed) {
        this.device = device;
        this.members = members;
        this.queues = queues;
        this.dispatcher = dispatcher;
        this.poller = poller;
        this.counters = counters;
        this.whenFailed = whenFailed;
    }

    /** Whether the device completes nothing any more. */
    boolean hasFailed() {
        return state == State.FAILED;
    }

    void onEvent(AsyncEvent event) {
        counters.increment(counterOf(event.type()));
        Recorder.deviceEvent(device.name(), event.type(), event.source(), event.port());
        switch (event.type()) {
        case DEVICE_FATAL -> {
            log(null);
            failed(event);
        }
        case COMPLETION_QUEUE_ERROR -> queueFailed(event);
        default -> {
            pollBefore(event.source());
            dispatch(event, owners(event.source()));
        }
        }
    }

    private static RdmaCounter counterOf(AsyncEventType type) {
        return switch (type) {
            case COMPLETION_QUEUE_ERROR -> RdmaCounter.COMPLETION_QUEUE_EVENTS;
            case PORT_ACTIVE, PORT_ERROR, LID_CHANGE, PARTITION_KEY_CHANGE, SUBNET_MANAGER_CHANGE, CLIENT_REREGISTER,
                    GID_CHANGE -> RdmaCounter.PORT_EVENTS;
            case DEVICE_FATAL, UNKNOWN -> RdmaCounter.DEVICE_EVENTS;
            default -> RdmaCounter.QUEUE_PAIR_EVENTS;
        };
    }

    /** The device does not answer any more. Notifies every handle that works on it, once. */
    void fail(VerbsException cause) {
        if (state == State.WORKING) {
            log(cause);
            counters.increment(RdmaCounter.DEVICE_EVENTS);
            Recorder.deviceEvent(device.name(), AsyncEventType.DEVICE_FATAL, device, 0);
            failed(new AsyncEvent(AsyncEventType.DEVICE_FATAL, device, 0));
        }
    }

    private void log(VerbsException cause) {
        LOGGER.error("{} has failed, and all its connections with it; it is opened again when the last is closed",
                device, cause);
    }

    /** Handles completions that preceded the failure of a queue pair: often the reason is among them. */
    private void pollBefore(VerbsObject source) {
        LoopQueue queue = members.queueOf(source);
        if (queue != null) {
            poller.pollAll(queue);
        }
    }

    /** After this nothing is polled, so registrations do not wait for completions any more. */
    private void failed(AsyncEvent event) {
        if (state == State.WORKING) {
            state = State.FAILED;
            queues.all().forEach(LoopQueue::breakDown);
            end(event, members.owners());
            whenFailed.run();
        }
    }

    /** As {@link #failed}, for the registrations of one queue. New queue pairs get another queue. */
    private void queueFailed(AsyncEvent event) {
        for (LoopQueue queue : List.copyOf(queues.all())) {
            if (queue.queue() == event.source() && queue.breakDown()) {
                Set<RdmaIoRegistration> owners = members.ownersOf(queue);
                LOGGER.error("{} has failed, and with it {} channels; new ones get another queue", queue.queue(),
                        owners.size());
                end(event, owners);
                queues.closeIfLeft(queue);
            }
        }
    }

    private void end(AsyncEvent event, Set<RdmaIoRegistration> owners) {
        dispatch(event, owners);
        owners.forEach(dispatcher::markAffected);
    }

    private void dispatch(AsyncEvent event, Collection<RdmaIoRegistration> owners) {
        for (RdmaIoRegistration owner : owners) {
            dispatcher.asyncEvent(owner, event);
        }
    }

    /** The registrations that an event affects: of a queue pair, a completion queue, or the device and its ports. */
    private Collection<RdmaIoRegistration> owners(VerbsObject source) {
        if (source instanceof QueuePair queuePair) {
            RdmaIoRegistration owner = members.ownerOf(queuePair);
            return owner == null ? Set.of() : Set.of(owner);
        }
        return source == device ? members.owners() : Set.of();
    }
}
