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
package io.nettyrdma.testsuite.datagram;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A completion queue fails: the datagram channels that use it end with the reason, and the next one works. */
@Tag("device")
class DatagramQueueErrorTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);

    private final LeakWatch leaks = new LeakWatch(message -> message.contains("has failed, and with it 2 channels"));
    /** One loop has one completion queue. */
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());

    @BeforeEach
    void begin() {
        TestDevice.get().assumeDatagrams();
        SoftHca.assumeItIsTheDevice();
        assumeTrue(TestDevice.get().capabilities().efa() == null, "an EFA device loses completions without a word");
    }

    @AfterEach
    void end() throws Exception {
        SoftHca.noFaults();
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        leaks.close();
    }

    @Test
    void theNextChannelWorks() throws Exception {
        Failures ofFirst = new Failures();
        Failures ofSecond = new Failures();
        RdmaDatagramChannel first = bind(ofFirst);
        RdmaDatagramChannel second = bind(ofSecond);
        SoftHca.faults(1, "overrun@1");
        ChannelFuture sent = send(first, second);
        for (RdmaDatagramChannel each : List.of(first, second)) {
            assertThat(each.closeFuture().await(PATIENCE_MILLIS)).as("%s is closed", each).isTrue();
        }
        assertThat(sent.await(PATIENCE_MILLIS)).as("the promise is completed").isTrue();
        for (Failures each : List.of(ofFirst, ofSecond)) {
            assertThat(each.all).singleElement().extracting(Throwable::getMessage).asString()
                    .contains("COMPLETION_QUEUE_ERROR");
        }
        Inbox inbox = new Inbox();
        RdmaDatagramChannel next = bind(inbox);
        send(next, next).sync();
        assertThat(inbox.awaitNumber()).isEqualTo(7);
    }

    private RdmaDatagramChannel bind(ChannelInboundHandlerAdapter handler) throws Exception {
        return (RdmaDatagramChannel) new Bootstrap().group(group).channel(RdmaDatagramChannel.class).handler(handler)
                .bind(DatagramAddress.any(TestDevice.get().device().name())).sync().channel();
    }

    private static ChannelFuture send(RdmaDatagramChannel from, RdmaDatagramChannel to) {
        return from.writeAndFlush(new DefaultAddressedEnvelope<>(Unpooled.copyInt(7), to.localAddress()));
    }

    private static final class Failures extends ChannelInboundHandlerAdapter {

        private final List<Throwable> all = new CopyOnWriteArrayList<>();

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            all.add(cause);
        }
    }
}
