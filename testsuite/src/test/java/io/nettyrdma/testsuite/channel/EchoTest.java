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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Bytes of any size are echoed, on one connection and on many. */
@Tag("device")
class EchoTest {

    private static final double SECONDS = 60;
    /** Bytes whose last frames are long enough to be gathered, with default options. */
    private static final int LONG = 65_536;

    private final Random random = Seeds.newRandom();

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 63, 1023, 1024, 1025, 8_192, 65_536, 1 << 20, 64 << 20 })
    void everyByteComesBack(int size) throws Exception {
        assumeTrue(Rounds.areMany() || size <= 1 << 20, "half a minute for one message");
        byte[] sent = new byte[size];
        random.nextBytes(sent);
        Recorder recorder = new Recorder();
        SameBytes echoed = new SameBytes(sent);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.connect(recorder);
            client.pipeline().addFirst(echoed);
            ChannelFuture written = client.writeAndFlush(Unpooled.wrappedBuffer(sent));
            Deadline.ofSeconds(SECONDS).until(size + " bytes", () -> echoed.count() == size);
            assertThat(written.sync().isSuccess()).isTrue();
            assertThat(echoed.firstDifference()).as("the same bytes").isEqualTo(-1);
            assertThat(pair.sum(RdmaCounter.BYTES_COPIED_OUT) + pair.sum(RdmaCounter.BYTES_GATHERED))
                    .as("sent, and sent back").isEqualTo(2L * size);
            // The header takes one SGE.
            if (size >= LONG && TestDevice.get().capabilities().maxSendSge() > 1) {
                assertThat(pair.sum(RdmaCounter.BYTES_GATHERED)).as("sent from where it was received").isPositive();
            }
            client.close().sync();
        }
        assertThat(recorder.failures()).isEmpty();
        assertThat(recorder.events()).containsExactly("active", "inactive");
    }

    @Test
    void manySmallWritesBeforeOneFlushArriveInOrder() throws Exception {
        Recorder recorder = new Recorder();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel client = pair.connect(recorder);
            ByteBuf all = Unpooled.buffer();
            for (int i = 0; i < 5_000; i++) {
                ByteBuf part = Unpooled.directBuffer().writeInt(i);
                all.writeBytes(part, 0, 4);
                client.write(part);
            }
            client.flush();
            Deadline.ofSeconds(SECONDS).until("all parts", () -> recorder.count() == all.readableBytes());
            assertThat(Unpooled.wrappedBuffer(recorder.bytes())).isEqualTo(all);
            all.release();
        }
    }

    @Test
    void bytesOfAHundredConnectionsStaySeparate() throws Exception {
        List<SameBytes> echoes = new ArrayList<>();
        int[] sizes = random.ints(100, 1, 100_000).toArray();
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            for (int size : sizes) {
                byte[] sent = new byte[size];
                random.nextBytes(sent);
                SameBytes echo = new SameBytes(sent);
                echoes.add(echo);
                pair.connect(echo).writeAndFlush(Unpooled.wrappedBuffer(sent));
            }
            for (int i = 0; i < sizes.length; i++) {
                SameBytes echo = echoes.get(i);
                int size = sizes[i];
                Deadline.ofSeconds(SECONDS).until("connection " + i, () -> echo.count() == size);
                assertThat(echo.firstDifference()).as("bytes of connection %d", i).isEqualTo(-1);
            }
        }
    }
}
