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
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Credits go with the data where there is some, and in frames of their own only if there is none. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class CreditFramesTest {

    private static final StreamConfig CONFIG = StreamConfig.DEFAULT;
    private static final int MESSAGES = 20 * StreamConfig.DEFAULT_INITIAL_WINDOW;

    /** Each batch ends before the answer is written, as if an executor wrote it. */
    @Test
    void answersThatFollowABatchCarryAllCredits() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            for (int i = 1; i <= MESSAGES; i++) {
                send(pair, pair.left, pair.right, i);
                send(pair, pair.right, pair.left, i);
            }
            pair.until("there is nothing to do", () -> !pair.turn());
            assertThat(pair.left.received).as("frames, all with data").isEqualTo(MESSAGES);
            assertThat(pair.right.received).as("frames, all with data").isEqualTo(MESSAGES);
        }
    }

    /** The peer does not notice that answers have ceased before it runs low. */
    @Test
    void messagesAfterTheLastAnswerAreCredited() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, pair.left, pair.right, 1);
            send(pair, pair.right, pair.left, 1);
            for (int i = 2; i <= MESSAGES; i++) {
                send(pair, pair.left, pair.right, i);
            }
            assertThat(pair.left.received).as("the answer, and CREDIT frames")
                    .isBetween(2, MESSAGES / (StreamConfig.DEFAULT_INITIAL_WINDOW / 4));
        }
    }

    /** Sends a message, and runs both ends until that many frames have come. */
    private static void send(StreamPair pair, StreamEnd from, StreamEnd to, int frames) throws Exception {
        from.writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
        pair.until("frame " + frames, () -> to.received >= frames);
        pair.until("there is nothing to do", () -> !pair.turn());
    }
}
