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
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The loop of a listener ends while a request for a connection waits for another loop, which is busy. */
@Tag("device")
class ListenersLoopEndsTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(10_000);

    private final EventLoopGroup listeners = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup children = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch busy = new CountDownLatch(1);

    @Test
    void pendingRequestsAreRejectedWhenTheLoopEnds() throws Exception {
        LeakWatch leaks = new LeakWatch();
        Channel listener = new ServerBootstrap().group(listeners, children).channel(RdmaServerChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object child) {
                        context.fireChannelRead(child);
                        asked.countDown();
                    }
                })
                .childHandler(new Recorder()).bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
        children.execute(this::stayBusy);
        ChannelFuture connected = new Bootstrap().group(clients).channel(RdmaChannel.class).handler(new Recorder())
                .connect(listener.localAddress());
        assertThat(asked.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("a request").isTrue();
        end(listeners);
        busy.countDown();
        assertThat(connected.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("an answer").isTrue();
        assertThat(connected.cause()).hasMessageContaining("refused");
        end(children);
        end(clients);
        leaks.close();
    }

    private void stayBusy() {
        try {
            assertThat(busy.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void end(EventLoopGroup group) {
        assertThat(group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(PATIENCE_MILLIS)).as("the loops end").isTrue();
    }
}
