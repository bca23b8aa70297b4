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
package io.nettyrdma.testsuite.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The number of receives: few, many under load, and few again. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class WindowTest {

    private static final int FEW = 16;
    private static final int MANY = 128;
    private static final StreamConfig CONFIG = StreamConfig.DEFAULT.withReceiveBuffer(256).withWindow(FEW, MANY);
    /** Frames of low load after which even the largest window has shrunk to the smallest. */
    private static final int CALM = 9 * (MANY + MANY / 2 + MANY / 4) + MANY;

    @Test
    void windowGrowsWithABurstAndShrinksAfterwards() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            assertThat(pair.right.receives.inUse()).isEqualTo(FEW);
            for (int round = 0; round < 2; round++) {
                assertThat(burst(pair)).as("receives during a burst").isGreaterThan(2 * FEW);
                for (int i = 0; i < CALM; i++) {
                    send(pair, 1);
                }
                assertThat(pair.right.receives.inUse()).as("after a calm").isEqualTo(FEW);
            }
            assertThat(pair.right.receives.bytes()).as("slots in few slabs, and a spare one")
                    .isLessThanOrEqualTo(3L * StreamEnd.SLOTS_PER_SLAB * 256);
        }
    }

    /** An application may keep buffers of a large window after the window has shrunk. */
    @Test
    void retainedBuffersDoNotStallPeerWhenWindowShrinks() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            burst(pair);
            List<ByteBuf> held = new ArrayList<>();
            pair.right.reader = buffer -> {
                if (held.size() < MANY / 16) {
                    held.add(buffer);
                } else {
                    buffer.release();
                }
            };
            for (int i = 0; i < CALM; i++) {
                send(pair, 1);
            }
            burst(pair);
            held.forEach(ByteBuf::release);
            burst(pair);
            for (int i = 0; i < CALM; i++) {
                send(pair, 1);
            }
            assertThat(pair.right.receives.inUse()).isEqualTo(FEW);
        }
    }

    /** It is counted, and no connection has to know of another's memory. */
    @Test
    void refusedGrowthIsRetriedLater() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            try (TakenMemory others = TakenMemory.half()) {
                assertThat(burst(pair)).as("receives during a burst, %s", others).isEqualTo(FEW);
                assertThat(pair.right.counters.get(RdmaCounter.WINDOWS_HELD_BACK)).isPositive();
            }
            assertThat(burst(pair)).as("receives during a burst").isGreaterThan(2 * FEW);
        }
    }

    private static int burst(StreamPair pair) throws Exception {
        return send(pair, 1 << 18);
    }

    /** Returns the largest number of receives while the bytes arrived. */
    private static int send(StreamPair pair, int bytes) throws Exception {
        int[] left = { bytes };
        int[] most = { 0 };
        var reader = pair.right.reader;
        pair.right.reader = buffer -> {
            left[0] -= buffer.readableBytes();
            most[0] = Math.max(most[0], pair.right.receives.inUse());
            reader.accept(buffer);
        };
        ChannelPromise promise = pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
        pair.until(bytes + " bytes", () -> left[0] == 0 && promise.isSuccess());
        pair.right.reader = reader;
        return most[0];
    }
}
