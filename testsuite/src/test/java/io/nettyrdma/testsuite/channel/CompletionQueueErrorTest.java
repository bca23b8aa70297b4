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
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.SoftHca;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A completion queue fails: all connections that use it end with the reason, and the next connection gets a new queue.
 * The peers are in another process, whose device has no faults.
 */
@Tag("device")
class CompletionQueueErrorTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int CONNECTIONS = 3;
    /** Small enough that all connections share one completion queue on any device. */
    private static final int WINDOW = 16;
    private static final byte[] BYTES = { 1, 2, 3 };

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void theNextConnectionWorks(PollMode mode) throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new);
             ChildProcess child = ChildProcess.start(Client.class, mode.name(),
                     pair.address().getAddress().getHostAddress(), Integer.toString(pair.address().getPort()))) {
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(child.readLine()).contains("COMPLETION_QUEUE_ERROR");
            }
            assertThat(child.readLine()).isEqualTo("the next one works");
            assertThat(child.readLine()).isEqualTo("events of completion queues: 1");
            assertThat(child.exitStatus()).isZero();
        }
    }

    static final class Client {

        private Client() {
        }

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
                    RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.valueOf(arguments[0]))));
            InetSocketAddress server =
                    new InetSocketAddress(InetAddress.getByName(arguments[1]), Integer.parseInt(arguments[2]));
            List<Recorder> recorders = new ArrayList<>();
            RdmaChannel last = null;
            for (int i = 0; i < CONNECTIONS; i++) {
                Recorder recorder = new Recorder();
                recorders.add(recorder);
                last = connect(group, server, recorder);
            }
            SoftHca.faults(1, "overrun@1");
            last.writeAndFlush(Unpooled.wrappedBuffer(BYTES));
            for (Recorder each : recorders) {
                assertThat(each.inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
                ChildProcess.reportToParent(each.failures().toString());
            }
            SameBytes echo = new SameBytes(BYTES);
            connect(group, server, echo).writeAndFlush(Unpooled.wrappedBuffer(BYTES)).sync();
            Deadline.standard().until("an echo", () -> echo.count() == BYTES.length);
            group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
            ChildProcess.reportToParent("the next one works");
            ChildProcess.reportToParent("events of completion queues: "
                    + last.loopCounters().get(RdmaCounter.COMPLETION_QUEUE_EVENTS));
        }

        private static RdmaChannel connect(EventLoopGroup group, InetSocketAddress server,
                                           ChannelHandler handler) throws Exception {
            return (RdmaChannel) new Bootstrap().group(group).channel(RdmaChannel.class)
                    .option(RdmaChannelOption.INITIAL_WINDOW, WINDOW).option(RdmaChannelOption.MAX_WINDOW, WINDOW)
                    .option(RdmaChannelOption.SEND_QUEUE_DEPTH, WINDOW).handler(handler)
                    .connect(server).sync().channel();
        }
    }
}
