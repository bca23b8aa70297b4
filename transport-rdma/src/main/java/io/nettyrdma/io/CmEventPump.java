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
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmEventListener;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.verbs.VerbsException;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Takes the CM events of a loop's ids and hands each to the handle that the id is attached to. */
final class CmEventPump {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(CmEventPump.class);
    private static final byte[] NO_DATA = {};
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Maximum that a turn takes: some microseconds each. */
    private static final int REQUESTS_PER_TURN = 256;

    private final CmEventChannel channel;
    private final EventDispatcher dispatcher;
    private final CmEventListener listener = this::onEvent;
    private final Map<CmId, RdmaIoRegistration> registrations = new IdentityHashMap<>();
    private long droppedEvents;
    /** Whether the turn may take another event. */
    private boolean mayTakeMore;

    CmEventPump(CmEventChannel channel, EventDispatcher dispatcher) {
        this.channel = channel;
        this.dispatcher = dispatcher;
    }

    CmEventChannel channel() {
        return channel;
    }

    void attach(CmId id, RdmaIoRegistration registration) {
        registrations.put(id, registration);
    }

    void detach(CmId id) {
        registrations.remove(id);
    }

    /**
     * Takes one event, because a handle's reaction may take milliseconds, and before it the requests that are in front:
     * these change nothing on the device. The kernel keeps 1024 requests of a listener (net.rdma_ucm.max_backlog) and
     * drops the others, which the peers send again 4 seconds later.
     *
     * @return whether there may be more events.
     */
    boolean poll() throws VerbsException {
        int taken = 0;
        do {
            mayTakeMore = false;
            if (channel.poll(listener, 1) == 0) {
                return false;
            }
            taken++;
        } while (mayTakeMore && taken < REQUESTS_PER_TURN);
        return true;
    }

    /** The event that is being handled takes as long as a step: the turn takes no further one. */
    void endStep() {
        mayTakeMore = false;
    }

    /** The number of events whose id was attached to no handle. */
    long droppedEvents() {
        return droppedEvents;
    }

    /**
     * Closes the ids that handles have left open or that no other loop has taken over yet, and the channel. Waits up to
     * a second for ids that another loop is closing.
     */
    void close() throws VerbsException {
        registrations.clear();
        for (CmId id : channel.ids()) {
            try {
                id.closeAt(channel);
            } catch (VerbsException e) {
                LOGGER.debug("{} could not be closed", id, e);
            }
        }
        try {
            channel.awaitNoIds(END_NANOS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        channel.close();
    }

    private void onEvent(CmEvent event) {
        mayTakeMore = event.type() == CmEventType.CONNECT_REQUEST;
        RdmaIoRegistration registration = registrations.get(event.id());
        if (registration != null) {
            dispatcher.cmEvent(registration, event);
            return;
        }
        droppedEvents++;
        if (event.newId() != null) {
            endStep();
            refuse(event.newId());
        }
    }

    /** Rejects a request, so that the connecting side does not wait for its timeout. */
    private static void refuse(CmId id) {
        try {
            id.reject(NO_DATA);
        } catch (VerbsException e) {
            LOGGER.debug("{} could not be refused", id, e);
        }
        try {
            id.close();
        } catch (VerbsException e) {
            LOGGER.debug("{} could not be closed", id, e);
        }
    }
}
