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

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Two event loops for one test, which must leave nothing behind. */
final class Loops implements AutoCloseable {

    private final Remains remains = new Remains();
    private final TcpSockets sockets = new TcpSockets();
    private final Carrier carrier;
    private final EventLoopGroup group;

    Loops(Carrier carrier) {
        this.carrier = carrier;
        group = new MultiThreadIoEventLoopGroup(2, carrier.ioHandlers());
    }

    EventLoopGroup group() {
        return group;
    }

    /** Call while the program's connections are open: all of them must be of the carrier's kind. */
    void checkSockets() {
        sockets.check(carrier);
    }

    /** Call after all channels are closed. */
    @Override
    public void close() {
        end();
        remains.close();
    }

    /** The same for a program that has loops of its own too. With the agent they have RDMA, and nothing ends them. */
    void closeBesideOthers() {
        if (carrier == Carrier.AGENT) {
            end();
            remains.closeLoopsStay();
        } else {
            close();
        }
    }

    private void end() {
        assertThat(group.shutdownGracefully(0, Waiting.SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(Waiting.SECONDS, TimeUnit.SECONDS)).as("the loops end").isTrue();
    }
}
