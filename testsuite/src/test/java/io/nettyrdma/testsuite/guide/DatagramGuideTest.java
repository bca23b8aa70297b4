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
package io.nettyrdma.testsuite.guide;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The snippets of docs/guide.md for datagrams and for EFA do what the page says. */
@Tag("device")
class DatagramGuideTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int SIZE = 4096;

    private final LeakWatch leaks = new LeakWatch();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
    private final InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private final boolean isEfa = TestDevice.get().capabilities().efa() != null;

    @BeforeEach
    void checkDevice() {
        TestDevice.get().assumeDatagrams();
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        leaks.close();
    }

    @Test
    void datagramArrivesAfterAnExchange() throws Exception {
        Class<? extends RdmaDatagramChannel> type = isEfa ? EfaDatagramChannel.class : RdmaDatagramChannel.class;
        RdmaDatagramChannel receiver = Datagrams.bind(group, type);
        RdmaDatagramChannel sender = Datagrams.bind(group, type);
        Channel listener = Datagrams.publish(group, any, receiver, List.of());
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            Datagrams.send(group, (InetSocketAddress) listener.localAddress(), sender,
                    ByteBufUtil.writeUtf8(sender.alloc(), "hello"));
            Deadline.standard().until("the datagram",
                    () -> printed.toString(StandardCharsets.UTF_8).contains("hello from "));
        } finally {
            System.setOut(before);
        }
    }

    @Test
    void writeOverEfaArrives() throws Exception {
        assumeTrue(isEfa && TestDevice.get().capabilities().efa().hasWrites(), "no writes of EFA");
        EfaDatagramChannel owner = (EfaDatagramChannel) Datagrams.bind(group, EfaDatagramChannel.class);
        EfaDatagramChannel writer = (EfaDatagramChannel) Datagrams.bind(group, EfaDatagramChannel.class);
        ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE).writeZero(SIZE);
        RemoteMemory remote = EfaWrites.expose(owner, memory);
        Channel listener = Datagrams.publish(group, any, owner, List.of(remote));
        Bootstrap connections = new Bootstrap().group(group).channel(EpollSocketChannel.class);
        try (DatagramPeer peer = DatagramExchange.connect(connections, listener.localAddress(), writer, List.of(),
                PATIENCE_MILLIS).sync().getNow()) {
            EfaWrites.write(writer, peer, ByteBufUtil.writeUtf8(writer.alloc(), "bytes"));
        }
        assertThat(memory.toString(0, 5, StandardCharsets.UTF_8)).isEqualTo("bytes");
        memory.release();
    }
}
