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

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The loops of one measurement: as many for the clients as for the server. */
final class RateLoops implements AutoCloseable {

    private final RateCarrier carrier;
    private final EventLoopGroup server;
    private final EventLoopGroup clients;

    RateLoops(RateCarrier carrier, int count) {
        this.carrier = carrier;
        server = new MultiThreadIoEventLoopGroup(count, carrier.ioHandlers());
        clients = new MultiThreadIoEventLoopGroup(count, carrier.ioHandlers());
    }

    RateCarrier carrier() {
        return carrier;
    }

    /** Gives connections to its loops in turn, so with one for each client loop every loop has one. */
    EventLoopGroup server() {
        return server;
    }

    /** One by one: a group might give two connections to the same loop, because gRPC takes loops for timers as well. */
    List<EventLoop> clients() {
        List<EventLoop> loops = new ArrayList<>();
        clients.forEach(loop -> loops.add((EventLoop) loop));
        return loops;
    }

    /** Closes all channels that are still open. */
    @Override
    public void close() {
        clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        server.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
