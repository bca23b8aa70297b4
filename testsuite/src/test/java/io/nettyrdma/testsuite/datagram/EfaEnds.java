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
import io.netty.buffer.ByteBuf;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Channels of EFA under test, on two loops, each with address handles of its own. */
final class EfaEnds implements AutoCloseable {

    static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);

    private final LeakWatch leaks = new LeakWatch();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());

    static void assumeEfa() {
        assumeTrue(TestDevice.get().capabilities().efa() != null, "not an EFA device");
    }

    static void assumeWrites() {
        assumeTrue(TestDevice.get().capabilities().efa().hasWrites(), "the device has no writes");
    }

    static void assumeReads() {
        assumeTrue(TestDevice.get().capabilities().efa().hasReads(), "the device has no reads");
    }

    EventLoopGroup group() {
        return group;
    }

    /** Successive calls take the loops in turn. */
    EfaDatagramChannel bind(ChannelHandler handler) throws Exception {
        return bind(handler, bootstrap -> { });
    }

    EfaDatagramChannel bind(ChannelHandler handler, Consumer<Bootstrap> options) throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(EfaDatagramChannel.class).handler(handler);
        options.accept(bootstrap);
        return (EfaDatagramChannel) bootstrap.bind(DatagramAddress.any(TestDevice.get().device().name())).sync()
                .channel();
    }

    /** On the same loop as another. */
    EfaDatagramChannel bindBeside(RdmaDatagramChannel other, ChannelHandler handler) throws Exception {
        return (EfaDatagramChannel) new Bootstrap().group(other.eventLoop()).channel(EfaDatagramChannel.class)
                .handler(handler).bind(DatagramAddress.any(TestDevice.get().device().name())).sync().channel();
    }

    /** One that does not read, holds 8 datagrams, and is prepared for its senders. */
    EfaDatagramChannel bindSilent(ChannelHandler handler, RdmaDatagramChannel... senders) throws Exception {
        return bindSilent(handler, bootstrap -> { }, senders);
    }

    EfaDatagramChannel bindSilent(ChannelHandler handler, Consumer<Bootstrap> options, RdmaDatagramChannel... senders)
            throws Exception {
        EfaDatagramChannel silent = bind(handler, bootstrap -> options.accept(bootstrap
                .option(ChannelOption.AUTO_READ, false).option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, 8)));
        for (RdmaDatagramChannel each : senders) {
            prepare(each, silent);
        }
        return silent;
    }

    /** Each makes a handle for the other. */
    static void prepare(RdmaDatagramChannel one, RdmaDatagramChannel other) throws Exception {
        one.prepare(other.localAddress()).sync();
        other.prepare(one.localAddress()).sync();
    }

    static <T> AddressedEnvelope<T, DatagramAddress> to(RdmaDatagramChannel channel, T content) {
        return new DefaultAddressedEnvelope<>(content, channel.localAddress());
    }

    static ByteBuf number(int value) {
        return RdmaByteBufAllocator.DEFAULT.directBuffer(Integer.BYTES).writeInt(value);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).syncUninterruptibly();
        leaks.close();
    }
}
