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
import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.AbiLayout.ConnectionParameters;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.NativeMemory;
import io.nettyrdma.verbs.AddressVector;

/**
 * An event of an id ({@code struct rdma_cm_event}). This is a copy: the native event has already been acknowledged, so
 * nothing waits for it. Immutable. The event type determines which fields are defined; the others are 0.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class CmEvent {

    private final CmEventType type;
    private final int typeNumber;
    private final int status;
    private final CmId id;
    private final CmId newId;
    private final byte[] privateData;
    private final int remoteQueuePairNumber;
    private final int responderResources;
    private final int initiatorDepth;
    private final AddressVector addressVector;
    private final int queueKey;

    /** @param newId the new id of a connection request; otherwise {@code null}. */
    CmEvent(NativeMemory record, CmId id, CmId newId) {
        this.id = id;
        this.newId = newId;
        typeNumber = record.u32(AbiLayout.CmEvent.TYPE);
        type = CmEventType.of(typeNumber);
        status = record.u32(AbiLayout.CmEvent.STATUS);
        int connection = AbiLayout.CmEvent.CONN;
        privateData = record.bytes(connection + ConnectionParameters.PRIVATE_DATA,
                record.u8(connection + ConnectionParameters.PRIVATE_DATA_LEN));
        remoteQueuePairNumber = record.u32(connection + ConnectionParameters.QP_NUM);
        responderResources = record.u8(connection + ConnectionParameters.RESPONDER_RESOURCES);
        initiatorDepth = record.u8(connection + ConnectionParameters.INITIATOR_DEPTH);
        boolean datagramPeer = id.portSpace() == CmPortSpace.UDP && type == CmEventType.ESTABLISHED;
        addressVector = datagramPeer ? AddressVector.read(record, AbiLayout.CmEvent.AH) : null;
        queueKey = datagramPeer ? record.u32(AbiLayout.CmEvent.QKEY) : 0;
    }

    /** {@return the type of the event} */
    public CmEventType type() {
        return type;
    }

    /**
     * {@return 0 on success, otherwise {@code -errno} or a reason code of the fabric; {@link CmErrors} describes it}
     */
    public int status() {
        return status;
    }

    /** {@return the id of the event; the listening id for a connection request} */
    public CmId id() {
        return id;
    }

    /**
     * {@return the new id of a connection request, on the same channel as the listening id; {@code null} for other
     * events}
     */
    public CmId newId() {
        return newId;
    }

    /**
     * {@return a copy of the peer's private data; empty if there is none} InfiniBand and RoCE pad it with zeroes to the
     * maximum length (see {@link CmPortSpace}), so the data itself must contain its length.
     */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** {@return the peer's queue pair number} */
    public int remoteQueuePairNumber() {
        return remoteQueuePairNumber;
    }

    /** {@return the number of outstanding reads and atomics that the peer wants to initiate} */
    public int responderResources() {
        return responderResources;
    }

    /** {@return the number of outstanding reads and atomics that the peer accepts from this side} */
    public int initiatorDepth() {
        return initiatorDepth;
    }

    /**
     * {@return the address vector of a datagram peer that accepted, for its address handle; {@code null} for other
     * events}
     */
    public AddressVector addressVector() {
        return addressVector;
    }

    /** {@return the Q_Key that datagrams to that peer must carry} */
    public int queueKey() {
        return queueKey;
    }

    /** A description for logs. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(type == CmEventType.UNKNOWN ? "event " + typeNumber : type.name());
        if (status != 0) {
            text.append(" (").append(status < 0 ? Errno.name(status) : "status " + status).append(')');
        }
        text.append(" of ").append(id);
        return newId == null ? text.toString() : text.append(": ").append(newId).toString();
    }
}
