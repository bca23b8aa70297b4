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

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The loops of one side end while its channels are open, and the other side lives on. */
@Tag("device")
class LoopEndTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int CONNECTIONS = 5;

    private final LeakWatch leaks = new LeakWatch();

    @AfterEach
    void check() {
        leaks.close();
    }

    /** The end waits for the peers' answers, which come while it waits, and not for the end of its time. */
    @ParameterizedTest
    @EnumSource(PollMode.class)
    void clientsCloseCleanlyWhenTheLoopEnds(PollMode mode) throws Exception {
        EventLoopGroup loops = loops(mode);
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new)) {
            List<RdmaChannel> clients = connect(pair, loops);
            end(loops);
            assertThat(clients).allMatch(client -> client.closeFuture().isDone());
            assertThat(clients).allMatch(client -> client.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT) == 0);
        }
    }

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void childrenCloseCleanlyWhenTheLoopEnds(PollMode mode) throws Exception {
        EventLoopGroup loops = loops(PollMode.ADAPTIVE);
        // Is not closed: its loops end in the middle of the test.
        ChannelPair pair = new ChannelPair(RdmaIoHandlerConfig.DEFAULT.withMode(mode),
                ChannelInboundHandlerAdapter::new, bootstrap -> { });
        try {
            List<RdmaChannel> clients = connect(pair, loops);
            end(pair.group());
            assertThat(pair.sum(RdmaCounter.DEPARTURES_TIMED_OUT)).isZero();
            for (RdmaChannel client : clients) {
                assertThat(client.closeFuture().await(PATIENCE_MILLIS)).as("closed").isTrue();
            }
        } finally {
            end(loops);
        }
    }

    private static EventLoopGroup loops(PollMode mode) {
        return new MultiThreadIoEventLoopGroup(2,
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode)));
    }

    /** The server has accepted all of them. */
    private static List<RdmaChannel> connect(ChannelPair pair, EventLoopGroup loops) throws Exception {
        List<RdmaChannel> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            clients.add((RdmaChannel) pair.bootstrap(new ChannelInboundHandlerAdapter()).clone(loops)
                    .connect(pair.address()).sync().channel());
            pair.accepted();
        }
        return clients;
    }

    private static void end(EventLoopGroup loops) throws InterruptedException {
        assertThat(loops.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).await(PATIENCE_MILLIS))
                .as("ended").isTrue();
    }
}
