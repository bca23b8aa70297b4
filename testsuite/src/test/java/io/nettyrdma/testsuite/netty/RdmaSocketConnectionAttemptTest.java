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
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import io.nettyrdma.testsuite.support.SoftHca;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

@EachPermutation
class RdmaSocketConnectionAttemptTest extends SocketConnectionAttemptTest {

    /** The address that the original connects to, of a network for documentation. */
    private static final InetSocketAddress NOT_A_HOST = new InetSocketAddress("198.51.100.254", 65_535);
    private static final int SOME_TIME_MILLIS = 1_000;

    @Parameter
    RdmaSocketTestPermutation permutation;

    /** The original expects that an address is silent, and the software device refuses it at once. */
    @BeforeEach
    void playSilentHost() throws Exception {
        SoftHca.faultsWhereItIsTheDevice(1, "silent=1");
    }

    @AfterEach
    void noFaults() throws Exception {
        SoftHca.noFaults();
    }

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return permutation.clientSocket();
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return permutation.allocators();
    }

    @Override
    protected SocketAddress newSocketAddress() {
        return permutation.address();
    }

    /** The original connects to 127.0.0.1, which only the software device can reach. */
    @Override
    public void testConnectRefused(Bootstrap client) throws Throwable {
        assertRefused(client, false);
    }

    @Override
    public void testConnectRefusedHalfClosure(Bootstrap client) throws Throwable {
        assertRefused(client, true);
    }

    /** Something that answers for every host of the network, such as a proxy, makes the original fail by TCP. */
    @Override
    public void testConnectCancellation(Bootstrap client) throws Throwable {
        try (Socket socket = new Socket()) {
            socket.connect(NOT_A_HOST, SOME_TIME_MILLIS);
            assumeFalse(Ends.mayUseTcp(), "a host that does not exist accepts connections by TCP");
        } catch (IOException e) {
            // As it should.
        }
        super.testConnectCancellation(client);
    }

    private void assertRefused(Bootstrap client, boolean halfClosure) {
        List<String> events = new CopyOnWriteArrayList<>();
        client.option(ChannelOption.ALLOW_HALF_CLOSURE, halfClosure).handler(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                events.add("active");
            }
        });
        InetSocketAddress own = (InetSocketAddress) permutation.address();
        ChannelFuture refused = client.connect(own.getAddress(), SocketTestPermutation.UNASSIGNED_PORT)
                .awaitUninterruptibly();
        assertThat(refused.cause()).isInstanceOf(ConnectException.class);
        assertThat(events).isEmpty();
    }
}
