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
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Every promise completes even if nothing more is written. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class PromisesTest {

    private static final int LARGE = 50_000;

    /** An inline send needs no completion of its own, but leaves the outbound buffer only after earlier sends. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 64, 512 })
    void aSmallMessageBehindALargeOne(int maxInline) throws Exception {
        assumeTrue(TestDevice.get().capabilities().maxSendSge() > 1, "a device that takes one piece gets copies");
        StreamConfig config = StreamConfig.DEFAULT.withMaxInline(maxInline).withZeroCopyThreshold(1000);
        try (StreamPair pair = new StreamPair(config)) {
            ChannelPromise large = pair.left.writeAndFlush(pair.left.registered(LARGE));
            ChannelPromise small = pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[5]));
            assertThat(large.isDone()).isFalse();
            assertThat(small.isDone()).isFalse();
            pair.until("both promises", () -> large.isSuccess() && small.isSuccess());
        }
    }

    @Test
    void aSmallMessageIsCopiedAndDoneAtOnce() throws Exception {
        try (StreamPair pair = new StreamPair(StreamConfig.DEFAULT)) {
            assertThat(pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[5])).isSuccess()).isTrue();
        }
    }
}
