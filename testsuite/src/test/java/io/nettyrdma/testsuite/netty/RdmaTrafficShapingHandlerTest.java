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
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import io.nettyrdma.testsuite.support.Rounds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

import java.net.SocketAddress;
import java.util.List;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

@EachPermutation
class RdmaTrafficShapingHandlerTest extends TrafficShapingHandlerTest {

    /** Its server counts on reading at once what was written at once, which are 2 KiB at most. */
    private static final int RECEIVE = 8192;

    @Parameter
    RdmaSocketTestPermutation permutation;

    @Override
    protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
        return permutation.socket(RECEIVE);
    }

    @Override
    protected List<ByteBufAllocator> newAllocators() {
        return permutation.allocators();
    }

    @Override
    protected SocketAddress newSocketAddress() {
        return permutation.address();
    }

    @BeforeEach
    void assumeThatItIsFastEnough() {
        assumeTrue(Rounds.areMany(), "it counts bytes in seconds");
    }

    @BeforeEach
    void assumeThatMessagesComeWhole() {
        assumeTrue(permutation.limits() == RdmaSocketTestPermutation.Limits.USUAL,
                "its server takes each read for whole messages of 1 KiB, and a receive has 512 bytes");
    }
}
