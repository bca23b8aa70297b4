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
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import static org.assertj.core.api.Assertions.assertThat;

/** The device of a program is known: channels report it, {@link Rdma} lists it, and the log has it. */
@Tag("device")
class DeviceOfChannelTest {

    @Test
    void channelReportsItsDeviceOnceItIsKnown() throws Exception {
        RdmaDeviceInfo device = TestDevice.get().device().info();
        assertThat(new RdmaChannel().device()).isNull();
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            assertThat(pair.listener().device()).isEqualTo(device);
            assertThat(pair.listener()).asString().endsWith("] RDMA LISTENING on " + device);
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            assertThat(client.device()).isEqualTo(device);
            assertThat(client).asString().startsWith("[id: 0x")
                    .contains(", L:" + client.localAddress() + " - R:" + client.remoteAddress())
                    .endsWith("] RDMA OPEN on " + device);
            RdmaChannel child = pair.accepted();
            assertThat(child.device()).isEqualTo(device);
            client.close().sync();
            assertThat(client.device()).isEqualTo(device);
            assertThat(client).asString().endsWith("] RDMA CLOSED on " + device);
            pair.listener().close().sync();
            assertThat(pair.listener()).asString().endsWith("] RDMA CLOSED on " + device);
        }
        assertThat(new RdmaChannel()).asString().startsWith("[id: 0x").endsWith("] RDMA NEW");
        assertThat(new RdmaServerChannel()).asString().endsWith("] RDMA NEW");
    }

    @Test
    void configNamesItsChannelAndItsOptions() {
        RdmaChannel channel = new RdmaChannel();
        assertThat(channel.config()).asString().startsWith("options of " + channel + ": {")
                .contains("MAX_WINDOW=").contains("SO_LINGER=-1");
        RdmaServerChannel server = new RdmaServerChannel();
        assertThat(server.config()).asString().startsWith("options of " + server + ": {").contains("SO_BACKLOG=");
    }

    @Test
    void loopNamesItsModeItsStateAndItsDevices() throws Exception {
        List<IoHandler> handlers = new CopyOnWriteArrayList<>();
        IoHandlerFactory factory = RdmaIoHandler.newFactory();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, executor -> {
            handlers.add(factory.newHandler(executor));
            return handlers.get(0);
        });
        assertThat(handlers).singleElement().asString()
                .isEqualTo("RDMA event loop, ADAPTIVE, RUNNING, no device yet");
        new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .childHandler(new ChannelInboundHandlerAdapter())
                .bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync();
        new Bootstrap().group(group).channel(RdmaChannel.class).handler(new ChannelInboundHandlerAdapter())
                .connect(TestDevice.get().ip(), 1).await();
        assertThat(handlers.get(0)).asString().endsWith(", RUNNING, " + TestDevice.get().device().name());
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        assertThat(handlers.get(0)).asString().endsWith(", CLOSED, no device yet");
    }

    @Test
    void aListenerOfAllAddressesHasNoDevice() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            RdmaServerChannel all = (RdmaServerChannel) new ServerBootstrap().group(pair.group())
                    .channel(RdmaServerChannel.class).childHandler(new ChannelInboundHandlerAdapter())
                    .bind(new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0)).sync().channel();
            assertThat(all.device()).isNull();
            assertThat(all).asString().endsWith("] RDMA LISTENING");
        }
    }

    @Test
    void usableDevicesAreListed() {
        assertThat(Rdma.devices()).contains(TestDevice.get().device().info());
    }

    /** In a process of its own, because it is said once. */
    @Test
    void logNamesTheDeviceAndItsReach() throws Exception {
        RdmaDeviceInfo device = TestDevice.get().device().info();
        try (ChildProcess child = ChildProcess.start(LoggingProgram.class)) {
            assertThat(child.readLine()).isEqualTo("[RDMA uses the device " + device.name()
                    + (device.reachesOtherHosts() ? " of this system]"
                            : ", which is software and reaches programs on this machine only]"));
            assertThat(child.exitStatus()).isZero();
        }
    }

    static final class LoggingProgram {

        private LoggingProgram() {
        }

        public static void main(String[] arguments) throws Exception {
            try (LogLines log = new LogLines(Rdma.class.getName(), Level.INFO);
                 ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
                pair.connect(new ChannelInboundHandlerAdapter());
                ChildProcess.reportToParent(log.messages().toString());
            }
        }
    }
}
