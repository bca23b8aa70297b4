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
package io.nettyrdma.link;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.metrics.RdmaGauge;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * A listener at ids of the connection manager. Rejects requests without connection data of our protocol as well.
 * Belongs to the event loop, except the methods that {@link LinkListener} allows to any thread.
 */
final class CmListener implements LinkListener, RdmaIoHandle {

    private static final String BACKLOG_IS_FULL = "its backlog is full: as many requests wait as SO_BACKLOG allows";

    private final Events events;
    private final IntSupplier maxWaiting;
    /** Requests that were not taken yet. */
    private final ArrayDeque<CmRequest> requests = new ArrayDeque<>();
    private IoRegistration registration;
    private volatile RdmaLoop loop;
    private volatile Listening listening;
    private volatile RdmaDeviceInfo device;
    /** Holds waiting requests while the listener is on no loop; otherwise {@code null}. */
    private CmEventChannel parked;
    private volatile int waiting;

    CmListener(Events events, IntSupplier maxWaiting) {
        this.events = events;
        this.maxWaiting = maxWaiting;
    }

    // ---- the loop ----

    @Override
    public void register(EventLoop on, Consumer<Throwable> then) {
        ((IoEventLoop) on).register(this).addListener(future -> {
            if (future.isSuccess()) {
                registration = (IoRegistration) future.getNow();
                loop = ((RdmaIoRegistration) registration.attachment()).loop();
                loop.counters().add(RdmaGauge.LISTENERS, 1);
                then.accept(unpark());
            } else {
                then.accept(future.cause());
            }
        });
    }

    private Exception unpark() {
        try {
            if (parked != null) {
                listening.unpark(loop, registration.attachment());
                parked.close();
                parked = null;
            }
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    @Override
    public void deregister(boolean isOpen) throws IOException {
        if (registration != null) {
            registration.cancel();
            loop.counters().add(RdmaGauge.LISTENERS, -1);
        }
        if (isOpen && listening != null) {
            listening.detach(loop);
            parked = CmEventChannel.open();
            listening.park(parked);
        }
    }

    @Override
    public RdmaCounters counters() {
        return loop.counters();
    }

    @Override
    public void enqueueStep(Runnable step) {
        loop.enqueueStep(step);
    }

    // ---- the address ----

    @Override
    public void bind(InetSocketAddress address, boolean reusesAddress, int backlog) throws IOException {
        Listening newListening = Listening.begin(loop.cmEventChannel(), reusesAddress, backlog, address);
        try {
            device = RdmaDevice.info(newListening.deviceName());
        } catch (VerbsException e) {
            newListening.close();
            throw e;
        }
        newListening.attach(loop, registration.attachment());
        listening = newListening;
    }

    @Override
    public boolean isBound() {
        return listening != null;
    }

    @Override
    public InetSocketAddress localAddress() {
        Listening current = listening;
        return current == null ? null : current.localAddress();
    }

    @Override
    public RdmaDeviceInfo device() {
        return device;
    }

    // ---- requests ----

    @Override
    public int waiting() {
        return waiting;
    }

    @Override
    public boolean hasRequest() {
        while (!requests.isEmpty()) {
            if (!dropAbandoned()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public LinkRequest take() {
        return next();
    }

    private CmRequest next() {
        CmRequest next = requests.poll();
        waiting = requests.size();
        return next;
    }

    private void requested(CmEvent event) {
        ConnectData data;
        try {
            data = ConnectData.decode(event.privateData());
        } catch (ProtocolException e) {
            refuse(event.newId(), RdmaCounter.REQUESTS_REFUSED, e.rejectReason(), e.getMessage());
            return;
        }
        if (!hasRoom()) {
            refuse(event.newId(), RdmaCounter.REQUESTS_BEYOND_BACKLOG, RejectReason.RESOURCES, BACKLOG_IS_FULL);
            return;
        }
        requests.add(new CmRequest(event, data));
        waiting = requests.size();
        events.requested();
    }

    /** @param text sent to the peer as well, so it may only say what is wrong with the request. */
    private void refuse(CmId request, RdmaCounter counter, RejectReason reason, String text) {
        loop.endStep();
        loop.counters().increment(counter);
        events.refused(request.peerAddress(), text);
        CmRequest.rejectAndClose(request, reason, text);
    }

    /** If the backlog is full, checks the oldest request alone: it is the likeliest to be abandoned. */
    private boolean hasRoom() {
        return requests.size() < maxWaiting.getAsInt() || dropAbandoned();
    }

    /** Drops the oldest request if its peer has left, and returns whether it did. */
    private boolean dropAbandoned() {
        if (!requests.element().isAbandoned()) {
            return false;
        }
        loop.counters().increment(RdmaCounter.REQUESTS_ABANDONED);
        LinkErrors.closeQuietly(next().id());
        return true;
    }

    // ---- the end ----

    @Override
    public void stop() {
        Listening current = listening;
        if (current != null) {
            current.detach(loop);
            current.close();
        }
        if (parked != null) {
            LinkErrors.closeQuietly(parked);
        }
        for (CmRequest request = next(); request != null; request = next()) {
            request.refuse("the server is being closed");
        }
    }

    // ---- of the loop ----

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        RdmaIoEvent rdma = (RdmaIoEvent) event;
        if (rdma.kind() != RdmaIoEvent.Kind.CM_EVENT) {
            return;
        }
        CmEvent report = rdma.cmEvent();
        if (report.type() == CmEventType.CONNECT_REQUEST) {
            requested(report);
        } else if (report.type() == CmEventType.DEVICE_REMOVAL) {
            events.deviceRemoved();
        }
    }

    @Override
    public int outstandingWork() {
        return 0;
    }

    @Override
    public void close() {
        events.loopEnds();
    }
}
