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

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.metrics.RdmaGauge;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.stream.RdmaStream;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * What a loop dispatches to a link: completions, events of the connection manager and of the device.
 *
 * <pre>
 *   USED ---the channel is closed---&gt; DRAINING ---all has arrived---&gt; LEFT
 *     |                                                                  ^
 *     +-------------------------nothing to send--------------------------+
 * </pre>
 *
 * USED: events go to the channel; DRAINING: to its draining; LEFT: to the departure, if there is a connection.
 *
 * <p>It stays registered for some time after the registration was cancelled, when the channel may already be registered
 * with another loop. Belongs to the event loop.
 */
final class LinkHandle implements RdmaIoHandle, StreamListener {

    private enum Use { USED, DRAINING, LEFT }

    private final CmLink link;
    private Link.Events receiver;
    private Use use = Use.USED;
    /** {@code null} before it begins, and after the connection is open. Read by any thread. */
    private volatile Handshake handshake;
    /** The connection's; {@code null} before there is one. */
    private RdmaStream stream;
    /** Completions are handled, or what they brought is read. */
    private boolean inBatch;
    /** DISCONNECTED has come, or a send has shown that it will come. */
    private boolean peerHasLeft;
    /** {@code null} before {@link #drain}. */
    private TimeLimit drainLimit;
    /** {@code null} before all is sent, and if there was no connection. */
    private Departure departure;
    /** The gauge that counts the connection; {@code null} if there is none. */
    private RdmaGauge counted;

    LinkHandle(CmLink link, Link.Events channel) {
        this.link = link;
        receiver = channel;
    }

    /** The handshake begins. It owns the id of the connection until that is open. */
    void open(Handshake begun) {
        handshake = begun;
        countAs(RdmaGauge.CONNECTIONS_OPENING);
    }

    /** {@code null} unless the connection is being opened. Any thread. */
    Handshake handshake() {
        return handshake;
    }

    /** The connection is created, and not open yet. */
    void connectionCreated(RdmaStream itsStream) {
        stream = itsStream;
    }

    void drain(Link.Events draining, TimeLimit limit) {
        use = Use.DRAINING;
        countAs(RdmaGauge.CONNECTIONS_DRAINING);
        receiver = draining;
        drainLimit = limit;
    }

    void drainTimedOut() {
        link.counters().increment(RdmaCounter.CLOSES_TIMED_OUT);
        link.abort(AbortReason.TIMEOUT);
        failed(LinkErrors.closeTimedOut(link.peerAddress()));
    }

    /** @param newDeparture {@code null} if there is no connection. */
    void depart(Departure newDeparture) {
        use = Use.LEFT;
        countAs(newDeparture == null ? null : RdmaGauge.CONNECTIONS_DEPARTING);
        departure = newDeparture;
        if (drainLimit != null) {
            drainLimit.cancel();
            // Outside of a completion the loop does not check by itself whether the handle may go.
            link.registration().submit(RdmaIoOps.REVISIT);
        }
    }

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        RdmaIoEvent rdma = (RdmaIoEvent) event;
        if (use == Use.LEFT) {
            handleAfterEnd(rdma);
            return;
        }
        switch (rdma.kind()) {
        case COMPLETION -> completed(rdma);
        case COMPLETIONS_DONE -> batchDone();
        case CM_EVENT -> cmEvent(rdma.cmEvent());
        case ASYNC_EVENT -> asyncEvent(rdma.asyncEvent());
        default -> { }
        }
    }

    private void handleAfterEnd(RdmaIoEvent event) {
        if (departure != null) {
            departure.handle(event);
        }
    }

    // ---- completions ----

    /** See {@link Link#isInBatch}. */
    boolean isInBatch() {
        return inBatch;
    }

    private void completed(RdmaIoEvent event) {
        WorkCompletion completion = event.completion();
        inBatch = true;
        if (!completion.isSuccess()) {
            link.connection().workFailed(completion, receiver.outbound());
            return;
        }
        if (handshake != null) {
            firstFrame();
        }
        if (use == Use.LEFT) {
            handleAfterEnd(event);
        } else {
            stream.completed(completion, receiver.outbound());
        }
    }

    /**
     * Posts receives first: what the handlers then write advertises them. Reads before it sends, so that one flush
     * sends what the handlers write and what waited.
     */
    private void batchDone() {
        stream.beforeRead();
        try {
            receiver.received();
        } finally {
            inBatch = false;
        }
        if (use == Use.LEFT) {
            return;
        }
        try {
            endBatch();
        } catch (Throwable e) {
            receiver.sendFailed(e);
        }
        if (peerHasLeft && link.isPeerGone()) {
            receiver.peerLeft();
        } else {
            receiver.batchDone();
        }
    }

    private void endBatch() throws IOException {
        try {
            stream.batchEnd(receiver.outbound());
        } finally {
            if (peerHasLeft) {
                link.connection().peer().batchDone();
            }
        }
    }

    /**
     * The peer's first frame arrived before the connection manager's report, or the report is lost. It opens the
     * connection before it is handled: it may be an ABORT. The program may close the channel at once.
     */
    private void firstFrame() {
        link.connection().peer().confirmed();
        if (!handshake.isAccepting()) {
            return;
        }
        try {
            handshake.confirm();
        } catch (IOException e) {
            openFailed(e);
            return;
        }
        opened();
    }

    // ---- events ----

    private void cmEvent(CmEvent event) {
        if (handshake != null && !opens(event)) {
            return;
        }
        if (event.type() == CmEventType.DEVICE_REMOVAL) {
            faulted(LinkErrors.deviceRemoved(link.peerAddress()));
        } else if (event.type() == CmEventType.DISCONNECTED || event.type().isFailure()) {
            // A failure, if the connection manager missed what the peer's first frame has confirmed.
            onPeerLeft();
        }
    }

    private boolean opens(CmEvent event) {
        try {
            if (!handshake.onEvent(event)) {
                return false;
            }
        } catch (Throwable t) {
            openFailed(t);
            return false;
        }
        opened();
        return true;
    }

    private void opened() {
        link.counters().increment(handshake.connects()
                ? RdmaCounter.CONNECTIONS_MADE : RdmaCounter.CONNECTIONS_ACCEPTED);
        countAs(RdmaGauge.CONNECTIONS_OPEN);
        handshake = null;
        receiver.opened();
    }

    void openFailed(Throwable cause) {
        link.counters().increment(RdmaCounter.HANDSHAKES_FAILED);
        receiver.openFailed(cause);
    }

    private void asyncEvent(AsyncEvent event) {
        CmConnection connection = link.connection();
        if (connection != null && event.type() == AsyncEventType.QUEUE_PAIR_FATAL
                && stream.endsWithItsPeer()) {
            onPeerLeft();
        } else if (LinkErrors.isFatal(event.type())) {
            faulted(LinkErrors.reported(event));
        }
    }

    /** A failure that the stream does not see. Aborts the connection if possible, without waiting for an answer. */
    private void faulted(IOException cause) {
        if (use == Use.LEFT) {
            return;
        }
        link.abort();
        if (link.connection() != null) {
            link.connection().failed();
        }
        report(cause);
    }

    // ---- of the stream ----

    @Override
    public void grown() {
        if (use != Use.LEFT) {
            link.streamGrown();
        }
    }

    @Override
    public void aborted(AbortReason reason, String text) {
        failed(LinkErrors.reset(link.peerAddress(), reason, text));
    }

    /** The connection manager, or a send, says that the peer has left. */
    @Override
    public void onPeerLeft() {
        if (use == Use.LEFT || peerHasLeft) {
            return;
        }
        peerHasLeft = true;
        link.connection().peer().left(this::peerLeft);
        receiver.peerLeft();
    }

    private void peerLeft() {
        receiver.peerLeft();
    }

    @Override
    public void failed(IOException cause) {
        if (use != Use.LEFT) {
            report(cause);
        }
    }

    private void report(IOException cause) {
        if (use == Use.USED) {
            link.counters().increment(handshake == null
                    ? RdmaCounter.CONNECTIONS_FAILED : RdmaCounter.HANDSHAKES_FAILED);
        }
        receiver.failed(cause);
    }

    @Override
    public InetSocketAddress localAddress() {
        return link.localAddress();
    }

    @Override
    public InetSocketAddress peerAddress() {
        return link.peerAddress();
    }

    @Override
    public String deviceName() {
        RdmaDeviceInfo device = link.device();
        return device == null ? null : device.name();
    }

    // ---- the end ----

    /** Data flushed before the close, and the departure. Closing the queue pair ends all other work. */
    @Override
    public int outstandingWork() {
        return use == Use.DRAINING || departure != null && !departure.isOver() ? 1 : 0;
    }

    @Override
    public void close() {
        if (!link.isLeaving()) {
            receiver.loopEnds();
        }
    }

    @Override
    public void checkTime() {
        if (departure != null) {
            departure.checkTime();
        }
        TimeLimit.check(drainLimit);
        if (link.connection() != null) {
            link.connection().peer().checkTime();
        }
    }

    @Override
    public void giveUp() {
        if (use == Use.DRAINING) {
            link.abort();
            receiver.failed(new IOException("the event loop has ended"));
        }
    }

    @Override
    public void unregistered() {
        giveUp();
        link.release();
        countAs(null);
    }

    // ---- counting ----

    /** @param gauge of the connection's state from now on; {@code null} if there is no connection any more. */
    private void countAs(RdmaGauge gauge) {
        RdmaCounters counters = link.counters();
        if (counted != null) {
            counters.add(counted, -1);
        }
        if (gauge != null) {
            counters.add(gauge, 1);
        }
        counted = gauge;
    }
}
