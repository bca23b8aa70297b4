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
package io.nettyrdma.testsuite.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import org.junit.jupiter.params.Parameter;

import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Binds to the device's address; the original binds to the loopback address. */
@EachPermutation
class RdmaSocketMultipleConnectTest extends SocketMultipleConnectTest {

    @Parameter
    RdmaSocketTestPermutation permutation;

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return permutation.socket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return permutation.allocators();
    }

    @Override
    protected SocketAddress newSocketAddress() {
        return permutation.address();
    }

    @Override
    public void testMultipleConnect(ServerBootstrap sb, Bootstrap cb) throws Exception {
        Channel listener = sb.childHandler(new ChannelInboundHandlerAdapter()).bind().sync().channel();
        Channel client = cb.handler(new ChannelInboundHandlerAdapter()).register().sync().channel();
        try {
            client.connect(listener.localAddress()).sync();
            assertThat(client.connect(listener.localAddress()).await().cause())
                    .isInstanceOf(AlreadyConnectedException.class);
        } finally {
            client.close();
            listener.close();
        }
    }
}
