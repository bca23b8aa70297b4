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
package io.nettyrdma.datagram;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Keeps the address handle of a peer, and its queue key in mind, from {@link RemoteQueuePair#hold} to {@link #end}.
 * Belongs to the event loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class PeerHold {

    private final RemoteQueuePair queuePair;
    private final DatagramAddress address;
    private boolean ended;

    PeerHold(RemoteQueuePair queuePair, DatagramAddress address) {
        this.queuePair = queuePair;
        this.address = address;
    }

    DatagramAddress address() {
        return address;
    }

    /** A second call does nothing. */
    public void end() {
        if (!ended) {
            ended = true;
            queuePair.endHold(address);
        }
    }
}
