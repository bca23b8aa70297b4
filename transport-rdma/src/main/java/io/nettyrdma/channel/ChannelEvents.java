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
package io.nettyrdma.channel;

import io.netty.channel.ChannelOutboundBuffer;
import io.nettyrdma.link.Link;

import java.io.IOException;

/** What the link of an open channel reports, and the part of the channel that it concerns. */
final class ChannelEvents implements Link.Events {

    private final RdmaChannel channel;
    private final Opening opening;
    private final Ending ending;
    private final InboundReader inbound;

    ChannelEvents(RdmaChannel channel, Opening opening, Ending ending, InboundReader inbound) {
        this.channel = channel;
        this.opening = opening;
        this.ending = ending;
        this.inbound = inbound;
    }

    @Override
    public ChannelOutboundBuffer outbound() {
        return channel.actions().outbound();
    }

    @Override
    public void opened() {
        opening.opened();
    }

    @Override
    public void openFailed(Throwable cause) {
        opening.failed(cause);
    }

    @Override
    public void received() {
        inbound.read();
    }

    @Override
    public void sendFailed(Throwable cause) {
        ending.sendFailed(cause);
    }

    @Override
    public void batchDone() {
        ending.afterPeerStateChange();
    }

    @Override
    public void peerLeft() {
        if (channel.isOpen()) {
            ending.peerLeft();
        }
    }

    @Override
    public void failed(IOException cause) {
        channel.failed(cause);
    }

    @Override
    public void loopEnds() {
        ending.loopEnds();
    }
}
