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
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A handler blocks its loop for longer than the keepalive timeout. Afterwards the loop's idle connections send a PING
 * before they are given up. Their peers are on running loops or on the blocked one.
 */
@Tag("device")
@Tag("native-speed")
class BlockedLoopTest {

    private static final int CONNECTIONS = 4;
    /** A peer on a running loop has three intervals to answer, and may have to wait for a CPU. */
    private static final int KEEPALIVE_MILLIS = Deadline.scaledMillis(150);
    /** More than the intervals after which a dead peer is given up. */
    private static final int BLOCKED_INTERVALS = 5;
    /** Twice, because a connection may have received something just before the first block. */
    private static final int TIMES = 2;
    private static final byte[] BYTES = { 1, 2, 3 };

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void idleConnectionsSurvive(boolean bothEndsAreBlocked) throws Exception {
        EventLoopGroup own = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            List<RdmaChannel> channels = new ArrayList<>();
            List<SameBytes> echoes = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                SameBytes echo = new SameBytes(BYTES);
                echoes.add(echo);
                channels.add(connect(pair, own, echo));
            }
            EventExecutor loop = own.next();
            for (int i = 0; i < TIMES; i++) {
                List<Future<?>> blocked = new ArrayList<>();
                if (bothEndsAreBlocked) {
                    pair.group().forEach(each -> blocked.add(block(each, 0)));
                }
                blocked.add(block(loop, 2));
                for (Future<?> each : blocked) {
                    each.sync();
                }
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                assertThat(channels.get(i).isActive()).as("%s", channels.get(i)).isTrue();
                channels.get(i).writeAndFlush(Unpooled.wrappedBuffer(BYTES)).sync();
                SameBytes echo = echoes.get(i);
                Deadline.standard().until("an echo", () -> echo.count() == BYTES.length);
            }
        } finally {
            own.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    private static RdmaChannel connect(ChannelPair pair, EventLoopGroup group, SameBytes echo) throws Exception {
        Bootstrap bootstrap = pair.bootstrap(echo).clone(group)
                .option(RdmaChannelOption.KEEPALIVE_MILLIS, KEEPALIVE_MILLIS);
        return (RdmaChannel) bootstrap.connect(pair.address()).sync().channel();
    }

    /**
     * Blocks the loop in a task.
     *
     * @param intervals the future completes after this many keepalive checks, as timers run in the order of their
     *        deadlines.
     */
    private static Future<?> block(EventExecutor loop, int intervals) {
        Promise<Void> looked = loop.newPromise();
        loop.submit(() -> {
            loop.schedule(() -> looked.setSuccess(null), intervals * KEEPALIVE_MILLIS, TimeUnit.MILLISECONDS);
            TimeUnit.MILLISECONDS.sleep(BLOCKED_INTERVALS * KEEPALIVE_MILLIS);
            return null;
        });
        return looked;
    }
}
