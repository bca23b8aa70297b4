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
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Code generation of the JVM takes longer than everything else in the first connect of a process. */
@Tag("device")
@Tag("any-device")
class FirstConnectTest {

    /** Each took 30 to 150 ms of processor time when a first connect needed it. */
    private static final List<String> SLOW = List.of("jdk.jfr.internal.EventInstrumentation",
            "java.lang.runtime.ObjectMethods");

    @TempDir
    private Path directory;

    @Test
    void firstConnectGeneratesNoCodeForEventsOrRecords() throws Exception {
        Path log = directory.resolve("classes");
        try (ChildProcess child = ChildProcess.start(List.of(), List.of("-cp", System.getProperty("java.class.path"),
                "-Xlog:class+load:file=" + log + ":none"), Connecting.class)) {
            child.readLine();
            assertThat(child.exitStatus()).isZero();
        }
        try (Stream<String> lines = Files.lines(log)) {
            List<String> loaded = lines.map(line -> line.split(" ", 2)[0]).toList();
            assertThat(loaded).contains(RdmaChannel.class.getName()).doesNotContainAnyElementsOf(SLOW);
        }
    }

    /** Connects once. */
    static final class Connecting {

        private Connecting() {
        }

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            Channel listener = new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                    .childHandler(new Silent()).bind(new InetSocketAddress(TestDevice.get().ip(), 0)).sync().channel();
            new Bootstrap().group(group).channel(RdmaChannel.class).handler(new Silent())
                    .connect(listener.localAddress()).sync();
            ChildProcess.reportToParent("connected");
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
        }
    }

    @ChannelHandler.Sharable
    private static final class Silent extends ChannelInboundHandlerAdapter {
    }
}
