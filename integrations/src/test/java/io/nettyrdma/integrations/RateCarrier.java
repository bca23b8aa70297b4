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
package io.nettyrdma.integrations;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;

import java.util.Locale;

/** The transports that {@link RequestRates} compares. */
enum RateCarrier {
    RDMA_ADAPTIVE(PollMode.ADAPTIVE),
    RDMA_BUSY(PollMode.BUSY),
    RDMA_EVENT(PollMode.EVENT),
    /** What the others are compared with. */
    EPOLL(null);

    /** That of RDMA's loops; {@code null} for epoll. */
    private final PollMode mode;

    RateCarrier(PollMode mode) {
        this.mode = mode;
    }

    IoHandlerFactory ioHandlers() {
        return mode == null ? EpollIoHandler.newFactory()
                : RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode));
    }

    Class<? extends ServerChannel> server() {
        return mode == null ? EpollServerSocketChannel.class : RdmaServerChannel.class;
    }

    Class<? extends Channel> client() {
        return mode == null ? EpollSocketChannel.class : RdmaChannel.class;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
