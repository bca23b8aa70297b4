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
package io.nettyrdma.testsuite.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.function.Consumer;

/** One connection whose server records what it receives. */
final class Connection implements AutoCloseable {

    final Recorder server = new Recorder();
    final Channel client;
    private final EitherPair pair;

    Connection(Carrier over, ChannelHandler handler) throws Exception {
        this(over, handler, bootstrap -> { });
    }

    /** @param options configures the client. */
    Connection(Carrier over, ChannelHandler handler, Consumer<Bootstrap> options) throws Exception {
        pair = new EitherPair(over, () -> server, bootstrap -> { }, options);
        client = pair.connect(handler);
    }

    /** Waits for that many bytes and returns all that were received, possibly more. */
    byte[] received(int count) throws Exception {
        Deadline deadline = Deadline.standard();
        while (server.count() < count) {
            deadline.pause(() -> count + " bytes, of which " + server.count() + " have come");
        }
        return server.bytes();
    }

    @Override
    public void close() {
        pair.close();
    }
}
