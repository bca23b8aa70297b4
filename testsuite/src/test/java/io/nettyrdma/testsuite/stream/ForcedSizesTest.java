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

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The system property forces the sizes of receives, so that other tests can run with each of them. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class ForcedSizesTest {

    private static final String PROPERTY = "io.nettyrdma.receiveSizes";
    /** Of the lane. */
    private static final String BEFORE = System.getProperty(PROPERTY);
    private static final StreamConfig CONFIG = StreamConfig.DEFAULT;
    private static final int HEADER = 16;
    private static final int[] SIZES = StreamPair.limited(CONFIG).receiveSizes();
    private static final int SMALLEST = SIZES[0] - HEADER;
    private static final int MIDDLE = SIZES[SIZES.length / 2] - HEADER;
    private static final int LARGEST = SIZES[SIZES.length - 1] - HEADER;
    /** They use up the first window, and would never make it grow. */
    private static final int SHORT_MESSAGES = 2 * StreamConfig.DEFAULT_INITIAL_WINDOW;
    private static final int BURST = 1 << 20;

    @AfterEach
    void restore() {
        if (BEFORE == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, BEFORE);
        }
    }

    @Test
    void aBurstLeavesTheSmallestSize() throws Exception {
        try (StreamPair pair = pair("smallest")) {
            assertThat(rooms(pair, BURST)).containsExactly(SMALLEST);
        }
    }

    @Test
    void shortMessagesAreEnoughForTheMiddleSize() throws Exception {
        try (StreamPair pair = pair("middle")) {
            sendShort(pair);
            assertThat(rooms(pair, BURST)).containsExactly(MIDDLE);
        }
    }

    @Test
    void shortMessagesAreEnoughForTheLargestSize() throws Exception {
        try (StreamPair pair = pair("largest")) {
            sendShort(pair);
            assertThat(rooms(pair, LARGEST)).containsExactly(LARGEST);
        }
    }

    @Test
    void allSizesAlternate() throws Exception {
        try (StreamPair pair = pair("alternate")) {
            // A burst that makes the size grow would be in all of them too.
            rooms(pair, BURST);
            assertThat(rooms(pair, BURST)).contains(SMALLEST, MIDDLE, LARGEST);
        }
    }

    /** Receives of several windows are posted at that time. */
    @Test
    void allSizesAreReturnedInSilence() throws Exception {
        try (StreamPair pair = pair("alternate")) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < SHORT_MESSAGES; i++) {
                    rooms(pair, 1);
                    rooms(pair, MIDDLE);
                }
                pair.until("the memory is returned", () -> !pair.right.stream.calmDown());
                assertThat(pair.right.receives.inUse()).as("receives").isEqualTo(StreamConfig.DEFAULT_INITIAL_WINDOW);
            }
        }
    }

    @Test
    void anotherValueIsRefused() {
        assertThatThrownBy(() -> pair("large").close()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-D" + PROPERTY + "=large is none of").hasMessageContaining("largest");
    }

    private static StreamPair pair(String rule) throws Exception {
        System.setProperty(PROPERTY, rule);
        return new StreamPair(CONFIG);
    }

    private static void sendShort(StreamPair pair) throws Exception {
        for (int i = 0; i < SHORT_MESSAGES; i++) {
            rooms(pair, 1);
        }
    }

    /** Sends bytes, and returns the different rooms for payload of the buffers that they arrive in. */
    private static Set<Integer> rooms(StreamPair pair, int bytes) throws Exception {
        Set<Integer> rooms = new TreeSet<>();
        int[] left = { bytes };
        pair.right.reader = buffer -> {
            left[0] -= buffer.readableBytes();
            rooms.add(buffer.capacity());
            buffer.release();
        };
        ChannelPromise promise = pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
        pair.until(bytes + " bytes", () -> left[0] == 0 && promise.isSuccess());
        return rooms;
    }
}
