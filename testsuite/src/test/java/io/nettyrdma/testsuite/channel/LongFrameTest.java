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

import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;

/** Receives are longer than the longest message of some devices: a frame is not. */
@Tag("device")
class LongFrameTest {

    /** The software device of the personality minimal takes messages of 1 MiB. */
    private static final int RECEIVE = 2 << 20;
    private static final int SIZE = 5 << 20;
    private static final double SECONDS = 60;

    private final LeakWatch leaks = new LeakWatch();

    @AfterEach
    void check() {
        leaks.close();
    }

    @Test
    void longMessageArrivesInLongFrames() throws Exception {
        byte[] sent = new byte[SIZE];
        new Random(1).nextBytes(sent);
        SameBytes echo = new SameBytes(sent);
        try (ChannelPair pair = new ChannelPair(EchoHandler::new, bootstrap -> bootstrap
                .childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE)
                .childOption(RdmaChannelOption.MAX_WINDOW, 16))) {
            RdmaChannel client = pair.connect(echo, bootstrap -> bootstrap
                    .option(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE)
                    .option(RdmaChannelOption.MAX_WINDOW, 16));
            // In place, so that the frame could be as long as the receive.
            client.writeAndFlush(client.alloc().directBuffer(SIZE).writeBytes(sent)).sync();
            Deadline.ofSeconds(SECONDS).until("the echo", () -> echo.count() == SIZE);
        }
    }
}
