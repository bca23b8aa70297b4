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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

@EachPermutation
class RdmaSocketChannelNotYetConnectedTest extends SocketChannelNotYetConnectedTest {

    @Parameter
    RdmaSocketTestPermutation permutation;

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

    /** The original has an NIO server; this asserts the same with an RDMA server. */
    @Override
    @Test
    @Timeout(30)
    public void readMustBePendingUntilChannelIsActive(TestInfo info) throws Throwable {
        run(info, this::readMustBePendingUntilChannelIsActive);
    }

    private void readMustBePendingUntilChannelIsActive(Bootstrap bootstrap) throws Exception {
        CompletableFuture<Integer> read = new CompletableFuture<>();
        bootstrap.handler(new FixedLengthFrameDecoder(Integer.BYTES) {
            @Override
            public void handlerAdded(ChannelHandlerContext context) {
                assertThat(context.channel().isActive()).isFalse();
                context.read();
            }

            @Override
            protected Object decode(ChannelHandlerContext context, ByteBuf in) {
                assertThat(in.readableBytes()).isLessThanOrEqualTo(Integer.BYTES);
                if (in.readableBytes() == Integer.BYTES) {
                    read.complete(in.readInt());
                }
                return null;
            }
        });
        try (BlockingPeer.Listener listener = new BlockingPeer.Listener(newSocketAddress())) {
            Channel client = bootstrap.connect(listener.address()).sync().channel();
            BlockingPeer peer = listener.accept();
            for (int part : new int[] { 0, 0, 0, 42 }) {
                peer.write(part);
            }
            assertThat(read.join()).isEqualTo(42);
            client.close().sync();
        }
    }
}
