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
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** One direction that is stalled does not affect the other. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class OneDirectionTest {

    /**
     * Like a server that stops reading until its writes are done.
     *
     * <pre>
     *   left                                           right, does not read
     *     DATA until there is no credit but the reserve  -->
     *                                                  <-- DATA, much more than a window
     *     CREDIT, again and again, out of the reserve    -->
     * </pre>
     */
    @Test
    void channelWithoutReadCanWrite() throws Exception {
        try (StreamPair pair = new StreamPair(StreamConfig.DEFAULT.withReceiveBuffer(1024).withWindow(16, 16))) {
            pair.right.reads = false;
            ChannelPromise waits = pair.left.write(Unpooled.wrappedBuffer(new byte[100_000]));
            pair.left.flush();
            pair.until("left's stand", () -> pair.left.counters.get(RdmaCounter.FLUSHES_WITHOUT_CREDIT) > 0
                    && !pair.turn());
            ChannelPromise written = pair.right.writeAndFlush(Unpooled.wrappedBuffer(new byte[1_000_000]));
            pair.until("right's bytes", written::isSuccess);
            assertThat(waits.isDone()).isFalse();
            pair.right.reads = true;
            pair.right.readAll();
            pair.until("left's bytes", waits::isSuccess);
        }
    }
}
