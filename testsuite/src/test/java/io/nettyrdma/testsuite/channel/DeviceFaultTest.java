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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaMetrics;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.LockedMemoryLimit;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The device runs out of resources or is removed: affected channels fail with the reason, and nothing hangs. */
@Tag("device")
@Tag("native-speed")
class DeviceFaultTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int CONNECTIONS = 4;
    /** The slabs of two loops fit with the default receive buffers, but not with the largest. */
    private static final int LIMIT_KIB = 8 << 10;
    private static final int LARGEST_BUFFER = 16 << 20;

    @Test
    void deviceIsRemoved() throws Exception {
        assumeTrue(NativeLibrary.isSoftware(), "only the software device can be taken away by its program");
        try (ChildProcess child = ChildProcess.start(List.of("env", "SOFTHCA_FAULTS=remove@5000"), Removal.class)) {
            for (int i = 0; i < 2 * CONNECTIONS; i++) {
                // If its peer is notified first, a connection sees the peer leave, with or without a failed write.
                assertThat(child.readLine())
                        .matches(".*(removed|DEVICE_FATAL|EIO|RETRY_EXCEEDED|reset by peer|Broken pipe).*");
            }
            assertThat(child.readLine()).isEqualTo("all have ended");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** The address is resolved, the device is gone, and only then is the removal reported. */
    @Test
    void deviceIsRemovedDuringAConnect() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChildProcess child = ChildProcess.start(RemovalWhileConnecting.class)) {
            assertThat(child.readLine()).contains("NoRouteToHostException", "ENODEV");
            assertThat(child.readLine()).isEqualTo("no failures");
            assertThat(child.exitStatus()).isZero();
        }
    }

    @Test
    void failedRegistrationIsReported() throws Exception {
        try (ChildProcess child = ChildProcess.start(LockedMemoryLimit.ofKib(LIMIT_KIB), Limited.class)) {
            String client = child.readLine();
            assumeTrue(!client.equals(Limited.NOT_REFUSED), "this device does not lock what is registered");
            assertThat(client).contains("ibv_reg_mr failed", "ENOMEM", "RLIMIT_MEMLOCK", "ulimit -l");
            assertThat(child.readLine()).contains("ibv_reg_mr failed", "RLIMIT_MEMLOCK");
            assertThat(child.readLine()).contains("Connection refused", "RESOURCES").doesNotContain("ibv_", "ulimit");
            assertThat(child.readLine()).isEqualTo("the others go on");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** Echoes until the device is removed. */
    static final class Removal {

        private Removal() {
        }

        public static void main(String[] arguments) throws Exception {
            BlockingQueue<Recorder> servers = new LinkedBlockingQueue<>();
            try (ChannelPair pair = new ChannelPair(() -> {
                Recorder recorder = new Recorder(true);
                servers.add(recorder);
                return recorder;
            })) {
                List<Recorder> clients = new ArrayList<>();
                for (int i = 0; i < CONNECTIONS; i++) {
                    Recorder client = new Recorder(true);
                    clients.add(client);
                    pair.connect(client).writeAndFlush(Unpooled.wrappedBuffer(new byte[100]));
                }
                Deadline.standard().until("all children", () -> servers.size() == CONNECTIONS);
                for (Recorder each : Stream.concat(clients.stream(), servers.stream()).toList()) {
                    assertThat(each.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
                    ChildProcess.reportToParent(each.failures().stream().map(Removal::rootCause).toList().toString());
                }
                assertThat(RdmaMetrics.loops()).as("loops that count the failure").isNotEmpty().allMatch(loop ->
                        loop.counters().get(RdmaCounter.DEVICE_EVENTS) > 0);
            }
            ChildProcess.reportToParent("all have ended");
        }

        private static Throwable rootCause(Throwable cause) {
            return cause.getCause() == null ? cause : rootCause(cause.getCause());
        }
    }

    static final class RemovalWhileConnecting {

        private RemovalWhileConnecting() {
        }

        public static void main(String[] arguments) throws Exception {
            InetSocketAddress anywhere = new InetSocketAddress(TestDevice.get().ip(), 1);
            LeakWatch complaints = new LeakWatch();
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            Channel client = new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new ChannelInboundHandlerAdapter()).register().sync().channel();
            // When this task ends, the loop takes both events at once.
            ChannelFuture connected = client.eventLoop().submit(() -> {
                ChannelFuture connecting = client.connect(anywhere);
                SoftHca.control("remove-device");
                return connecting;
            }).sync().getNow();
            ChildProcess.reportToParent(String.valueOf(connected.await().cause()));
            client.closeFuture().sync();
            group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
            complaints.close();
            ChildProcess.reportToParent("no failures");
        }
    }

    /** One connection is alive. First a client requests too much, then a server's child does. */
    static final class Limited {

        static final String NOT_REFUSED = "not refused";

        private Limited() {
        }

        public static void main(String[] arguments) throws Exception {
            try (ChannelPair pair = new ChannelPair(EchoHandler::new);
                 LogLines log = new LogLines(RdmaServerChannel.class.getName(), Level.WARNING);
                 ChannelPair greedy = new ChannelPair(Recorder::new,
                         bootstrap -> bootstrap.childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, LARGEST_BUFFER))) {
                SameBytes before = new SameBytes(new byte[] { 1, 2, 3 });
                Channel living = pair.connect(before);
                Channel asked = pair.bootstrap(new ChannelInboundHandlerAdapter())
                        .option(RdmaChannelOption.RECEIVE_BUFFER_SIZE, LARGEST_BUFFER).register().sync().channel();
                ChannelFuture refused = asked.connect(pair.address()).await();
                if (refused.isSuccess()) {
                    ChildProcess.reportToParent(NOT_REFUSED);
                    return;
                }
                ChildProcess.reportToParent(refused.cause().toString());
                Throwable cause = pair.bootstrap(new ChannelInboundHandlerAdapter()).connect(greedy.address()).await()
                        .cause();
                Deadline.standard().until("a line in the log", () -> !log.messages().isEmpty());
                ChildProcess.reportToParent(log.messages().toString());
                ChildProcess.reportToParent(cause.toString());
                SameBytes after = new SameBytes(new byte[] { 1, 2, 3 });
                pair.connect(after).writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
                living.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2, 3 }));
                Deadline.standard().until("the others' echoes", () -> before.count() == 3 && after.count() == 3);
            }
            ChildProcess.reportToParent("the others go on");
        }
    }
}
