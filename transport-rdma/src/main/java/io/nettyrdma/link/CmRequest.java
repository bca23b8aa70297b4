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

import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.RejectData;
import io.nettyrdma.protocol.RejectReason;
import io.nettyrdma.recorder.Recorder;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * A connection request with connection data of our protocol. Its id is still on the listener's event channel.
 *
 * @param event the CONNECT_REQUEST.
 * @param data the connection data that came with it.
 */
record CmRequest(CmEvent event, ConnectData data) implements LinkRequest {

    CmId id() {
        return event.newId();
    }

    @Override
    public InetSocketAddress localAddress() {
        return id().localAddress();
    }

    @Override
    public InetSocketAddress peerAddress() {
        return id().peerAddress();
    }

    /** Whether the connecting side has left meanwhile: no event reports that. */
    boolean isAbandoned() {
        return !id().mayAccept();
    }

    @Override
    public void refuse(String text) {
        rejectAndClose(id(), RejectReason.CLOSING, text);
    }

    /** Rejects a request or a response with a reason. A failure of this is ignored. */
    static void reject(CmId id, RejectReason reason, String text) {
        Recorder.refused(id.localAddress(), id.peerAddress(), reason, text);
        try {
            id.reject(new RejectData(ConnectData.VERSION, reason, text).encode());
        } catch (IOException | IllegalStateException ignored) {
            // Closing the id disconnects it, without a reason.
        }
    }

    static void rejectAndClose(CmId id, RejectReason reason, String text) {
        reject(id, reason, text);
        LinkErrors.closeQuietly(id);
    }
}
