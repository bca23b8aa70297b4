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
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.nettyrdma.testsuite.support.Rounds;
import org.junit.jupiter.params.Parameter;

import java.net.SocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

@EachPermutation
class RdmaSocketSslEchoTest extends SocketSslEchoTest {

    /**
     * Runs every n-th of its 192 parameter sets. On slow machines it is every fifth: 5 is coprime to the number of
     * values of each parameter, so every value of each is used.
     */
    private static final int STRIDE =
            Integer.getInteger("io.nettyrdma.testsuite.sslEchoStride", Rounds.areMany() ? 1 : 5);

    @Parameter
    RdmaSocketTestPermutation permutation;

    /** Hides the original's method of the same name. */
    public static Collection<Object[]> data() throws Exception {
        List<Object[]> all = List.copyOf(SocketSslEchoTest.data());
        return IntStream.range(0, all.size()).filter(i -> i % STRIDE == 0).mapToObj(all::get).toList();
    }

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
}
