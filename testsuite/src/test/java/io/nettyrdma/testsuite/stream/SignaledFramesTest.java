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

import io.netty.channel.ChannelPromise;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** If the completion of a frame says nothing about earlier ones, every frame is signaled; otherwise few are. */
@Tag("device")
class SignaledFramesTest {

    private static final int MESSAGES = 100;
    private static final int BYTES = 8000;
    private static final StreamConfig CONFIG = StreamConfig.DEFAULT.withWindow(128, 128);

    @Test
    void everyFrameIsSignaled() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG.withUnsignaled(false))) {
            sendAll(pair);
            awaitEveryCompletion(pair);
            assertThat(pair.left.sent).isGreaterThan(MESSAGES / 2);
        }
    }

    @Test
    void fewFramesAreSignaled() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            sendAll(pair);
            if (TestDevice.get().capabilities().unsignaledSends()) {
                assertThat(pair.left.sent).isPositive().isLessThan(pair.right.received);
            } else {
                awaitEveryCompletion(pair);
            }
        }
    }

    /** A device may acknowledge a frame long after the peer has it. */
    private static void awaitEveryCompletion(StreamPair pair) throws Exception {
        pair.until("a completion of each frame", () -> pair.left.sent == pair.right.received);
    }

    /** In one flush, so that the frames are posted together. */
    private static void sendAll(StreamPair pair) throws Exception {
        ChannelPromise last = null;
        for (int i = 0; i < MESSAGES; i++) {
            last = pair.left.write(pair.left.registered(BYTES));
        }
        pair.left.flush();
        ChannelPromise written = last;
        pair.until("the last message", written::isSuccess);
        pair.until("silence", () -> !pair.turn());
    }
}
