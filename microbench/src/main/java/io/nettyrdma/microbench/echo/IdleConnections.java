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
package io.nettyrdma.microbench.echo;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;

import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;

/** Connections that are open and send nothing. */
final class IdleConnections {

    /** Handshakes at a time: a listener's SO_BACKLOG and MAX_ACCEPTING bound them. */
    private static final int AT_ONCE = 500;

    private final List<Channel> channels = new ArrayList<>();

    IdleConnections(Bootstrap bootstrap, SocketAddress to, int count) throws InterruptedException {
        List<ChannelFuture> connecting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connecting.add(bootstrap.connect(to));
            if (i >= AT_ONCE) {
                connecting.get(i - AT_ONCE).sync();
            }
        }
        for (ChannelFuture each : connecting) {
            channels.add(each.sync().channel());
        }
    }

    /** Fails if one has ended before. */
    void close() throws InterruptedException, ClosedChannelException {
        boolean areOpen = channels.stream().allMatch(Channel::isActive);
        List<ChannelFuture> closing = new ArrayList<>();
        channels.forEach(each -> closing.add(each.close()));
        for (ChannelFuture each : closing) {
            each.sync();
        }
        if (!areOpen) {
            throw new ClosedChannelException();
        }
    }
}
