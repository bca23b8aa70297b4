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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;

/**
 * Moves a queue pair through the states of a CM connection. The queue pair must be on the device that
 * {@link CmId#deviceName} names. Only the thread that owns the queue pair may use this object. It owns neither the id
 * nor the queue pair.
 *
 * <pre>{@code
 *   active side                                        passive side
 *
 *   ADDR_RESOLVED                                      (listening)
 *     create queue pair
 *     prepare()       RESET -> INIT
 *     post receives
 *   ROUTE_RESOLVED
 *     connect()       ---------- request --------->    CONNECT_REQUEST
 *                                                        create queue pair
 *                                                        prepare()     RESET -> INIT
 *                                                        post receives
 *                     <--------- response ---------      accept()      INIT -> RTR -> RTS
 *   CONNECT_RESPONSE
 *     establish()     INIT -> RTR -> RTS
 *                     ---------- ready ----------->    ESTABLISHED
 *     may send                                           established(), may send
 *
 *     disconnect()    RTS -> ERR
 *                     -------- disconnect -------->    DISCONNECTED
 *   DISCONNECTED      <--------- answer -----------      disconnect()  RTS -> ERR
 * }</pre>
 *
 * The passive side may receive before ESTABLISHED, because the peer's data can arrive before its "ready". iWARP has no
 * CONNECT_RESPONSE: the active side goes from {@link #connect} to ESTABLISHED, and the device itself makes the last
 * transitions. A datagram queue pair is ready after {@link #prepare}.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CmQueuePair {

    /** Code of 0.64 ms, see {@link QueuePairAttributes#minRnrTimer(int)}. */
    public static final int DEFAULT_MIN_RNR_TIMER = 12;

    /**
     * Exponent of 4.3 s, the longest timeout that connection managers choose by default. Linux gives the passive side
     * the timeout of the request, which can be anything, including 0 for an infinite timeout.
     */
    public static final int LONGEST_REQUESTED_ACK_TIMEOUT_EXPONENT = 20;

    private static final int AS_REQUESTED = -1;

    private final CmId id;
    private final QueuePair queuePair;
    private final int minRnrTimer;
    private MemoryAccess[] access = {};
    private int trafficClass = AS_REQUESTED;
    private CmConnectionParameters offered = CmConnectionParameters.DEFAULT;

    /**
     * With the default time that a peer waits if no receive is posted.
     *
     * @param id of the connection.
     * @param queuePair not connected yet.
     */
    public CmQueuePair(CmId id, QueuePair queuePair) {
        this(id, queuePair, DEFAULT_MIN_RNR_TIMER);
    }

    /**
     * @param id of the connection.
     * @param queuePair not connected yet.
     * @param minRnrTimer code of the RNR timer, see {@link QueuePairAttributes#minRnrTimer(int)}.
     */
    public CmQueuePair(CmId id, QueuePair queuePair, int minRnrTimer) {
        if (queuePair.type() != id.portSpace().queuePairType()) {
            throw new IllegalArgumentException(id + " is for queue pairs of type " + id.portSpace().queuePairType()
                    + ", but " + queuePair + " is of type " + queuePair.type());
        }
        String device = id.deviceName();
        if (!queuePair.device().name().equals(device)) {
            throw new IllegalArgumentException(id + (device == null ? " is bound to no device yet" : " is on device "
                    + device) + ", but " + queuePair + " is on " + queuePair.device().name());
        }
        this.id = id;
        this.queuePair = queuePair;
        this.minRnrTimer = minRnrTimer;
    }

    /** Copies the settings of {@code other} for another id. */
    private CmQueuePair(CmId id, CmQueuePair other) {
        this(id, other.queuePair, other.minRnrTimer);
        access = other.access;
        trafficClass = other.trafficClass;
    }

    /**
     * {@return an object for the same queue pair, prepared or not, and an id that replaces this one} Use it after
     * {@code rdma_connect} failed before it involved the queue pair, for example because the port is in use.
     *
     * @param another the id that replaces this one's.
     * @throws IllegalArgumentException if that id is on another device, or for another type of queue pair.
     */
    public CmQueuePair withId(CmId another) {
        return new CmQueuePair(another, this);
    }

    /** {@return the id of the connection} */
    public CmId id() {
        return id;
    }

    /** {@return the queue pair} */
    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Moves the queue pair to INIT, so that receives can be posted. Post them before the connection is up: a message
     * that finds no receive is refused with an RNR NAK and sent again.
     *
     * @param peerAccess access rights of the peer, for memory regions that allow the access too; unused for datagrams.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void prepare(MemoryAccess... peerAccess) throws VerbsException {
        access = peerAccess.clone();
        QueuePairAttributes attributes = id.queuePairAttributes(QueuePairState.INIT);
        if (id.portSpace() == CmPortSpace.UDP) {
            // Datagrams have no peer to wait for. The Q_Key is 0x01234567, the same for all ids of the CM.
            queuePair.modify(attributes);
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
        } else {
            queuePair.modify(attributes.access(access));
        }
    }

    /**
     * Active side: sends the connection request with the number of the queue pair.
     *
     * @param parameters their queue pair is replaced by this one.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void connect(CmConnectionParameters parameters) throws VerbsException {
        offered = named(parameters);
        id.connect(offered);
    }

    /**
     * Active side, at CONNECT_RESPONSE: moves the queue pair to RTS and confirms the connection. It may then send.
     *
     * @param response the event.
     * @throws VerbsException if the call fails, with the reason.
     */
    public void establish(CmEvent response) throws VerbsException {
        makeReady(granted(offered, response), false);
        id.establish();
    }

    /**
     * Passive side, before {@link #accept}: sets the type of service of outgoing packets, in place of that of the
     * request. Has no effect on iWARP, and where packets have no global routing header.
     *
     * @param value IPv4 TOS or IPv6 traffic class, 0 to 255.
     */
    public void trafficClass(int value) {
        trafficClass = value;
    }

    /**
     * Passive side, with the CONNECT_REQUEST of the id: moves the queue pair to RTS and accepts the request. The retry
     * count is this side's own, not that of the request. The acknowledgement timeout is that of the id if it was set,
     * otherwise that of the request, limited to {@link #LONGEST_REQUESTED_ACK_TIMEOUT_EXPONENT}.
     *
     * @param request the event.
     * @param parameters their queue pair is replaced by this one.
     * @throws VerbsException if it is refused, with the reason.
     */
    public void accept(CmEvent request, CmConnectionParameters parameters) throws VerbsException {
        CmConnectionParameters granted = granted(named(parameters), request);
        if (id.portSpace() == CmPortSpace.TCP) {
            makeReady(granted, !id.isAckTimeoutSet());
        }
        id.accept(granted);
    }

    /**
     * Call at ESTABLISHED; the queue pair may then send. On iWARP the device itself has moved the queue pair to RTS, so
     * this queries its state; elsewhere it does nothing.
     *
     * @throws VerbsException if the call fails, with the reason.
     */
    public void established() throws VerbsException {
        if (!queuePair.state().acceptsSends()) {
            queuePair.query();
        }
    }

    /**
     * Disconnects, or answers the peer's disconnect, and flushes the queue pair: every posted work request completes.
     * The CM call comes first: on iWARP it ends the stream in order, which the error state would cut off.
     *
     * @throws VerbsException if it is refused, with the reason.
     */
    public void disconnect() throws VerbsException {
        try {
            id.disconnect();
        } finally {
            if (queuePair.state() != QueuePairState.ERR) {
                queuePair.toError();
            }
        }
    }

    private CmConnectionParameters named(CmConnectionParameters parameters) {
        return parameters.withQueuePair(queuePair.number(), queuePair.hasSharedReceiveQueue());
    }

    /** Limits the reads of each direction to the minimum of both sides; the event has the peer's numbers. */
    private static CmConnectionParameters granted(CmConnectionParameters ours, CmEvent peer) {
        return ours.withReads(Math.min(ours.responderResources(), peer.responderResources()),
                Math.min(ours.initiatorDepth(), peer.initiatorDepth()));
    }

    /** @param asRequested whether the acknowledgement timeout is the one that the peer requested. */
    private void makeReady(CmConnectionParameters granted, boolean asRequested) throws VerbsException {
        QueuePairAttributes receive = id.queuePairAttributes(QueuePairState.RTR);
        // Without the peer's queue pair number (iWARP) there are no read limits and no RNR either, and the device makes
        // the other transitions itself.
        boolean deviceConnects = receive.destination() == 0;
        if (deviceConnects) {
            queuePair.modify(receive.access(access));
            return;
        }
        // The kernel's CM leaves the RNR timer at 0, which means 655.36 ms and not "none" (rdma_accept(3)): a peer that
        // sends once before a receive is posted would pause for that long.
        if (trafficClass != AS_REQUESTED) {
            receive.addressVector(receive.addressVector().withTrafficClass(trafficClass));
        }
        queuePair.modify(receive.maxDestRdAtomic(granted.responderResources()).minRnrTimer(minRnrTimer));
        // The kernel's CM gives the passive side the retry count of the request.
        QueuePairAttributes send = id.queuePairAttributes(QueuePairState.RTS).maxRdAtomic(granted.initiatorDepth())
                .retryCount(granted.retryCount());
        if (asRequested) {
            send.timeout(limited(send.timeout()));
        }
        queuePair.modify(send);
    }

    /** The peer must not decide how long this side waits for a peer that is gone. */
    static int limited(int requested) {
        boolean isInfinite = requested == 0;
        return isInfinite ? LONGEST_REQUESTED_ACK_TIMEOUT_EXPONENT
                : Math.min(requested, LONGEST_REQUESTED_ACK_TIMEOUT_EXPONENT);
    }
}
