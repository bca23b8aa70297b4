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

import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;

/**
 * A queue pair of ours on its way through a connection of the CM's. The queue pair must be on the device that
 * {@link CmId#deviceName} names. Belongs to one thread, the one that owns the queue pair; owns neither of the two.
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
 * The passive side may receive before ESTABLISHED: the peer's data can overtake its "ready". On iWARP there is no
 * CONNECT_RESPONSE: the active side goes from {@link #connect} to ESTABLISHED, and the device makes the last
 * transitions itself. The queue pair of datagrams is ready after {@link #prepare}.
 */
public final class CmQueuePair {

    /** Code of 0.64 ms, see {@link QueuePairAttributes#minRnrTimer(int)}. */
    public static final int DEFAULT_MIN_RNR_TIMER = 12;

    /**
     * Code of 4.3 s, the longest that connection managers choose by themselves. Linux gives the passive side the
     * timeout of the request, where it may be anything, 0 for one that never ends included.
     */
    public static final int LONGEST_REQUESTED_ACK_TIMEOUT = 20;

    private static final int AS_REQUESTED = -1;

    private final CmId id;
    private final QueuePair queuePair;
    private final int minRnrTimer;
    private MemoryAccess[] access = {};
    private int trafficClass = AS_REQUESTED;
    private CmConnectionParameters offered = CmConnectionParameters.DEFAULT;

    public CmQueuePair(CmId id, QueuePair queuePair) {
        this(id, queuePair, DEFAULT_MIN_RNR_TIMER);
    }

    /** @param minRnrTimer code of how long the peer waits when no receive is posted here. */
    public CmQueuePair(CmId id, QueuePair queuePair, int minRnrTimer) {
        if (queuePair.type() != id.portSpace().queuePairType()) {
            throw new IllegalArgumentException(id + " is for queue pairs of type " + id.portSpace().queuePairType()
                    + ", but " + queuePair + " is of type " + queuePair.type());
        }
        String device = id.deviceName();
        if (!queuePair.device().name().equals(device)) {
            throw new IllegalArgumentException(id + (device == null ? " is bound to no device yet" : " is on device "
                    + device) + ", but " + queuePair + " on " + queuePair.device().name()
                    + ": nothing would reach the other");
        }
        this.id = id;
        this.queuePair = queuePair;
        this.minRnrTimer = minRnrTimer;
    }

    /** With what was told of {@code other}, for another id. */
    private CmQueuePair(CmId id, CmQueuePair other) {
        this(id, other.queuePair, other.minRnrTimer);
        access = other.access;
        trafficClass = other.trafficClass;
    }

    /**
     * The same queue pair as it is, prepared or not, for an id that asks in this one's stead: its
     * {@code rdma_connect} has failed before the queue pair had a part in it, as where its port is taken.
     *
     * @throws IllegalArgumentException if that id is on another device, or of another type.
     */
    public CmQueuePair withId(CmId another) {
        return new CmQueuePair(another, this);
    }

    public CmId id() {
        return id;
    }

    public QueuePair queuePair() {
        return queuePair;
    }

    /**
     * Lets receives be posted. Until then nothing can, and a message that finds none is refused and sent again.
     *
     * @param peerAccess what the peer may do to memory regions that allow it too; nothing of datagrams.
     */
    public void prepare(MemoryAccess... peerAccess) throws VerbsException {
        access = peerAccess.clone();
        QueuePairAttributes attributes = id.queuePairAttributes(QueuePairState.INIT);
        if (id.portSpace() == CmPortSpace.UDP) {
            // Datagrams have no peer to wait for. Their key, 0x01234567, is the CM's, the same for all its ids.
            queuePair.modify(attributes);
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
            queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
        } else {
            queuePair.modify(attributes.access(access));
        }
    }

    /** Active side: asks for the connection, naming the queue pair. */
    public void connect(CmConnectionParameters parameters) throws VerbsException {
        offered = named(parameters);
        id.connect(offered);
    }

    /** Active side, at CONNECT_RESPONSE: makes the queue pair ready and tells the peer so. It may send now. */
    public void establish(CmEvent response) throws VerbsException {
        makeReady(granted(offered, response), false);
        id.establish();
    }

    /**
     * Passive side, before {@link #accept}: what is sent from here has this type of service, and not that which the
     * request came with. Without effect where no global route header carries it, and on iWARP.
     *
     * @param value TOS of IPv4 or traffic class of IPv6, 0 to 255.
     */
    public void trafficClass(int value) {
        trafficClass = value;
    }

    /**
     * Passive side, with the CONNECT_REQUEST that brought the id: makes the queue pair ready and tells the peer so. The
     * retry count is this side's own; that of the request is for who asked. So is its acknowledgement timeout, if that
     * of the id was not set, beyond {@link #LONGEST_REQUESTED_ACK_TIMEOUT}.
     */
    public void accept(CmEvent request, CmConnectionParameters parameters) throws VerbsException {
        CmConnectionParameters granted = granted(named(parameters), request);
        if (id.portSpace() == CmPortSpace.TCP) {
            makeReady(granted, !id.isAckTimeoutSet());
        }
        id.accept(granted);
    }

    /**
     * At ESTABLISHED: it may send now. On iWARP the device made the queue pair ready behind our back, so it is asked;
     * elsewhere this does nothing.
     */
    public void established() throws VerbsException {
        if (!queuePair.state().acceptsSends()) {
            queuePair.query();
        }
    }

    /**
     * Ends the connection, or answers the peer who did, and flushes what is posted: every work request completes. The
     * CM is first, because on iWARP it is the CM that ends the stream in order, and an error state would cut it off.
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

    /** Each side's event tells what the peer wants and serves; more than that is of no use, less is our right. */
    private static CmConnectionParameters granted(CmConnectionParameters ours, CmEvent peer) {
        return ours.withReads(Math.min(ours.responderResources(), peer.responderResources()),
                Math.min(ours.initiatorDepth(), peer.initiatorDepth()));
    }

    /** @param asRequested whether the acknowledgement timeout is the peer's choice. */
    private void makeReady(CmConnectionParameters granted, boolean asRequested) throws VerbsException {
        QueuePairAttributes receive = id.queuePairAttributes(QueuePairState.RTR);
        // The stream of iWARP knows no queue pair at its other end, and has neither read limits nor RNR.
        boolean iwarp = receive.destination() == 0;
        if (iwarp) {
            queuePair.modify(receive.access(access));
            return;
        }
        // The kernel's CM leaves the RNR timer at 0, which does not mean none but 655.36 ms (rdma_accept(3)): a peer
        // that comes once before a receive is posted would pause for that long.
        if (trafficClass != AS_REQUESTED) {
            receive.addressVector(receive.addressVector().withTrafficClass(trafficClass));
        }
        queuePair.modify(receive.maxReadsIn(granted.responderResources()).minRnrTimer(minRnrTimer));
        // The kernel's CM gives the passive side retries and timeout of the request: how long we wait for a peer that
        // is gone is not for him to say.
        QueuePairAttributes send = id.queuePairAttributes(QueuePairState.RTS).maxReadsOut(granted.initiatorDepth())
                .retryCount(granted.retryCount());
        if (asRequested && (send.timeout() == 0 || send.timeout() > LONGEST_REQUESTED_ACK_TIMEOUT)) {
            send.timeout(LONGEST_REQUESTED_ACK_TIMEOUT);
        }
        queuePair.modify(send);
    }
}
