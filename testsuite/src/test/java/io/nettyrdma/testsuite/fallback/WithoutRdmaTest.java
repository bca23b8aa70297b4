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
package io.nettyrdma.testsuite.fallback;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.fallback.TransportPolicy;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.LockedMemoryLimit;
import io.nettyrdma.testsuite.support.LogLines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.logging.Level;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A process that cannot use RDMA says why. */
@Tag("device")
class WithoutRdmaTest {

    private static final String MISSING = "missing0";
    private static final int LIMIT_KIB = 64;

    @Test
    void deviceThatDoesNotExistIsNamedByTheLogAndByErrors() throws Exception {
        List<String> options = List.of("-cp", System.getProperty("java.class.path"),
                "-Dio.nettyrdma.device=" + MISSING);
        try (ChildProcess child = ChildProcess.start(List.of(), options, Program.class)) {
            assertThat(child.readLine()).contains("event loops use TCP alone", MISSING);
            assertThat(child.readLine()).endsWith("listens by TCP alone: the event loop has no RDMA");
            assertThat(child.readLine()).contains("RDMA is required to connect", MISSING).endsWith(" with a cause");
            assertThat(child.readLine()).contains("RDMA is required to listen", MISSING).endsWith(" with a cause");
            assertThat(child.exitStatus()).isZero();
        }
    }

    @Test
    void registrationThatFailsIsWarnedOf() throws Exception {
        try (OnePort port = new OnePort()) {
            InetSocketAddress server = (InetSocketAddress) port.listen().localAddress();
            try (ChildProcess child = ChildProcess.start(LockedMemoryLimit.ofKib(LIMIT_KIB), Limited.class,
                    server.getHostString(), Integer.toString(server.getPort()))) {
                String line = child.readLine();
                assumeTrue(!line.equals(Limited.BY_RDMA), "this device does not lock what is registered");
                assertThat(line).contains("use TCP, because the attempt by RDMA failed: ", "ENOMEM", "ulimit -l");
                assertThat(child.readLine()).isEqualTo("1 " + FallbackReason.FAILED);
                assertThat(child.exitStatus()).isZero();
            }
        }
    }

    /** A client with little locked memory. */
    static final class Limited {

        static final String BY_RDMA = "by RDMA";

        private Limited() {
        }

        public static void main(String[] arguments) throws Exception {
            InetSocketAddress server = new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1]));
            try (OnePort port = new OnePort();
                 LogLines log = new LogLines(RdmaOrTcpChannel.class.getName(), Level.WARNING)) {
                Recorder recorder = new Recorder();
                Channel client = OnePort.assertIsEchoed(port.client(recorder).connect(server), recorder);
                if (RdmaOrTcp.transport(client) == RdmaOrTcp.Transport.RDMA) {
                    ChildProcess.reportToParent(BY_RDMA);
                    return;
                }
                reportOnly(log);
                ChildProcess.reportToParent(RdmaOrTcp.connectionsByTcp(FallbackReason.FAILED) + " "
                        + FallbackReason.FAILED);
            }
        }
    }

    private static void reportOnly(LogLines log) {
        assertThat(log.messages()).hasSize(1);
        ChildProcess.reportToParent(log.messages().get(0).replace('\n', ' '));
    }

    /** Has no device. */
    static final class Program {

        private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

        private Program() {
        }

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup loops;
            try (LogLines log = new LogLines(RdmaOrTcp.class.getName(), Level.WARNING)) {
                loops = new MultiThreadIoEventLoopGroup(2, RdmaOrTcp.newIoHandlerFactory());
                RdmaOrTcp.newIoHandlerFactory();
                reportOnly(log);
            }
            ServerBootstrap servers = new ServerBootstrap().group(loops).channel(RdmaOrTcpServerChannel.class)
                    .childHandler(new ChannelInboundHandlerAdapter());
            Bootstrap clients = new Bootstrap().group(loops).channel(RdmaOrTcpChannel.class)
                    .option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED)
                    .handler(new ChannelInboundHandlerAdapter());
            Channel server;
            try (LogLines log = new LogLines(RdmaOrTcpServerChannel.class.getName(), Level.INFO)) {
                server = servers.bind(ANY).sync().channel();
                reportOnly(log);
            }
            report(clients.connect(server.localAddress()).await().cause());
            report(servers.option(RdmaOrTcpOption.POLICY, TransportPolicy.RDMA_REQUIRED).bind(ANY)
                    .await().cause());
            loops.shutdownGracefully();
        }

        private static void report(Throwable failure) {
            ChildProcess.reportToParent(failure.getMessage().replace('\n', ' ')
                    + (failure.getCause() == null ? "" : " with a cause"));
        }
    }
}
