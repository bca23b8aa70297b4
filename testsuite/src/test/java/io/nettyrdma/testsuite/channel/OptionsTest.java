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

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelConfig;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannelConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.ProjectTree;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Every option that code for TCP sets is accepted and can be read back; ours are validated. */
@Tag("device")
class OptionsTest {

    private static final Map<ChannelOption<?>, Object> OF_SOCKETS = Map.ofEntries(
            Map.entry(ChannelOption.ALLOW_HALF_CLOSURE, true), Map.entry(ChannelOption.SO_LINGER, 3),
            Map.entry(ChannelOption.IP_TOS, 16), Map.entry(ChannelOption.SO_REUSEADDR, true),
            Map.entry(ChannelOption.SO_KEEPALIVE, false), Map.entry(ChannelOption.TCP_NODELAY, false),
            Map.entry(ChannelOption.TCP_FASTOPEN_CONNECT, true), Map.entry(ChannelOption.SO_SNDBUF, 12_345),
            Map.entry(ChannelOption.SO_RCVBUF, 54_321), Map.entry(ChannelOption.CONNECT_TIMEOUT_MILLIS, 77),
            Map.entry(ChannelOption.AUTO_READ, false), Map.entry(ChannelOption.WRITE_SPIN_COUNT, 5));

    private static final Map<ChannelOption<?>, Object> OF_LISTENERS = Map.of(ChannelOption.SO_BACKLOG, 9,
            ChannelOption.SO_REUSEADDR, true, ChannelOption.SO_RCVBUF, 54_321, ChannelOption.TCP_FASTOPEN, 3);

    @Test
    void socketOptionsCanBeSetAndRead() {
        RdmaChannelConfig config = new RdmaChannel().config();
        assertSetsAndReturns(config, OF_SOCKETS);
        assertThat(config.isAllowHalfClosure()).isTrue();
        assertThat(config.getSoLinger()).isEqualTo(3);
        assertThat(config.getTrafficClass()).isEqualTo(16);
        assertThat(config.isReuseAddress()).isTrue();
        assertThat(config.isKeepAlive()).isFalse();
        assertThat(config.isTcpNoDelay()).isFalse();
        assertThat(config.getSendBufferSize()).isEqualTo(12_345);
        assertThat(config.getReceiveBufferSize()).isEqualTo(54_321);
        assertThat(config.setPerformancePreferences(1, 2, 3)).isSameAs(config);
    }

    @Test
    void serverOptionsCanBeSetAndRead() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new, OptionsTest::setAll)) {
            RdmaServerChannelConfig config = pair.listener().config();
            assertThat(config.getOptions()).containsAllEntriesOf(OF_LISTENERS);
            assertThat(config.getBacklog()).isEqualTo(9);
            pair.connect(new ChannelInboundHandlerAdapter());
            assertThat(pair.accepted().config().getOptions()).containsEntry(RdmaChannelOption.INITIAL_WINDOW, 17)
                    .containsEntry(ChannelOption.TCP_NODELAY, false);
        }
    }

    @SuppressWarnings("unchecked")
    private static void setAll(ServerBootstrap bootstrap) {
        OF_LISTENERS.forEach((option, value) -> bootstrap.option((ChannelOption<Object>) option, value));
        bootstrap.childOption(RdmaChannelOption.INITIAL_WINDOW, 17).childOption(ChannelOption.TCP_NODELAY, false);
    }

    @SuppressWarnings("unchecked")
    private static void assertSetsAndReturns(ChannelConfig config, Map<ChannelOption<?>, Object> values) {
        values.forEach((option, value) -> {
            assertThat(config.setOption((ChannelOption<Object>) option, value)).as("%s is known", option).isTrue();
            assertThat(config.getOption((ChannelOption<Object>) option)).as("%s", option).isEqualTo(value);
        });
        assertThat(config.getOptions()).containsAllEntriesOf(values);
    }

    /** Bytes count until the device has read them. A socket's 64 KiB would stall the device until the program runs. */
    @Test
    void waterMarkExceedsTheBytesInFlight() {
        RdmaChannelConfig config = new RdmaChannel().config();
        assertThat(config.getWriteBufferLowWaterMark()).isEqualTo(128 << 10);
        assertThat(config.getWriteBufferHighWaterMark()).isEqualTo(256 << 10);
        assertSetsAndReturns(config, Map.of(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(8, 16)));
    }

    @Test
    void valuesOutOfRangeAreRefused() {
        RdmaChannelConfig config = new RdmaChannel().config();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> config.setOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, 63))
                .withMessageContaining("RECEIVE_BUFFER_SIZE is 63, not within 64 to 16777216");
        assertThatIllegalArgumentException().isThrownBy(() -> config.setOption(RdmaChannelOption.RETRY_COUNT, 8));
        assertThatIllegalArgumentException().isThrownBy(() ->
                config.setOption(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, -1));
        assertThatExceptionOfType(Exception.class).isThrownBy(() -> config.setOption(ChannelOption.IP_TOS, 256))
                .withMessageContaining("256");
        assertThat(config.setOption(RdmaChannelOption.KEEPALIVE_MILLIS, 0)).isTrue();
        assertThat(config.getOption(RdmaChannelOption.KEEPALIVE_MILLIS)).isZero();
    }

    @Test
    void queuePairOptionsAreFixedOnceCreated() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new ChannelInboundHandlerAdapter());
            assertThatIllegalStateException()
                    .isThrownBy(() -> client.config().setOption(RdmaChannelOption.MAX_WINDOW, 100))
                    .withMessageContaining("set it before connecting");
            assertThat(client.config().setOption(RdmaChannelOption.SPIN_MICROS, 1)).isTrue();
        }
    }

    /** docs/options.md has the time until which each option can be changed. */
    @Test
    void openChannelRefusesTheOptionsThatThePageCallsFixed() throws Exception {
        String page = Files.readString(ProjectTree.directory("docs").resolve("options.md"));
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannelConfig config = pair.connect(new ChannelInboundHandlerAdapter()).config();
            config.getOptions().forEach((option, value) -> {
                if (option.name().startsWith(RdmaChannelOption.class.getName())) {
                    assertChangeable(config, option, value, untilWhen(page, option));
                }
            });
        }
    }

    /** The last cell of the option's row. */
    private static String untilWhen(String page, ChannelOption<?> option) {
        String name = option.name().substring(option.name().indexOf('#') + 1);
        Matcher row = Pattern.compile("\\| \\[`" + name + "`].*\\| ([^|]+) \\|\n").matcher(page);
        assertThat(row.find()).as(name).isTrue();
        return row.group(1);
    }

    @SuppressWarnings("unchecked")
    private static void assertChangeable(RdmaChannelConfig config, ChannelOption<?> option, Object value, String when) {
        if (when.equals("until the channel connects")) {
            assertThatIllegalStateException().as("%s", option)
                    .isThrownBy(() -> config.setOption((ChannelOption<Object>) option, value));
        } else {
            assertThat(when).startsWith("at any time");
            assertThat(config.setOption((ChannelOption<Object>) option, value)).isTrue();
        }
    }

    /** The smallest value of every option still carries bytes. The sizes come from a seed. */
    @Test
    void smallestValuesWork() throws Exception {
        byte[] sent = new byte[10_000];
        Seeds.newRandom().nextBytes(sent);
        SameBytes echoed = new SameBytes(sent);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new, bootstrap -> bootstrap
                .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, 64)
                .childOption(RdmaChannelOption.INITIAL_WINDOW, 16).childOption(RdmaChannelOption.MAX_WINDOW, 16)
                .childOption(RdmaChannelOption.SEND_QUEUE_DEPTH, 4)
                .childOption(RdmaChannelOption.ZERO_COPY_THRESHOLD, 1))) {
            pair.connect(echoed).writeAndFlush(Unpooled.wrappedBuffer(sent));
            Deadline.ofSeconds(30).until("the echo", () -> echoed.count() == sent.length);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
        }
    }
}
