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
package io.nettyrdma.stream;

import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class StreamConfigTest {

    private record Refused(String words, UnaryOperator<StreamConfig> change) {
        @Override
        public String toString() {
            return words;
        }
    }

    static Stream<Refused> refusals() {
        return Stream.of(
                new Refused("receiveBuffer is between 64 and 16777216, not 63", c -> c.withReceiveBuffer(63)),
                new Refused("receiveBuffer is between 64 and 16777216, not 16777217",
                        c -> c.withReceiveBuffer((1 << 24) + 1)),
                new Refused("maxReceiveBuffer is between 1040 and 16777216, not 1039",
                        c -> c.withMaxReceiveBuffer(1039)),
                new Refused("initialWindow is between 14 and 65536, not 13", c -> c.withWindow(13, 128)),
                new Refused("initialWindow is between 14 and 65536, not 65537", c -> c.withWindow(65537, 65537)),
                new Refused("maxWindow is between 20 and 65536, not 19", c -> c.withWindow(20, 19)),
                new Refused("maxWindow is between 20 and 65536, not 65537", c -> c.withWindow(20, 65537)),
                new Refused("sendQueue is between 1 and 1048576, not 0", c -> c.withSendQueue(0)),
                new Refused("sendQueue is between 1 and 1048576, not 1048577", c -> c.withSendQueue((1 << 20) + 1)),
                new Refused("sendSge is between 1 and 1024, not 0", c -> c.withSendSge(0)),
                new Refused("maxInline is between 0 and 16777216, not -1", c -> c.withMaxInline(-1)),
                new Refused("zeroCopyThreshold is between 1 and 2147483647, not 0", c -> c.withZeroCopyThreshold(0)),
                new Refused("framesPerPost is between 1 and 128, not 0", c -> c.withFramesPerPost(0)),
                new Refused("framesPerPost is between 1 and 128, not 129", c -> c.withFramesPerPost(129)));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void outOfRangeMessageNamesOptionAndRange(Refused refused) {
        assertThatIllegalArgumentException().isThrownBy(() -> refused.change.apply(StreamConfig.DEFAULT))
                .withMessage(refused.words);
    }

    @Test
    void withersChangeOneSettingEach() {
        StreamConfig changed = StreamConfig.DEFAULT.withReceiveBuffer(64).withWindow(16, 17).withSendQueue(18)
                .withSendSge(3).withMaxInline(0).withZeroCopyThreshold(5).withFramesPerPost(6)
                .withUnsignaled(false).withRemoteAccess(true, 7);
        assertThat(changed).isEqualTo(new StreamConfig(64, 64, 16, 17, 18, 3, 0, 5, 6, false, 7, true));
    }

    @Test
    void aShorterQueueLimitsAPost() {
        assertThat(StreamConfig.DEFAULT.withSendQueue(1).framesPerPost()).isEqualTo(1);
        assertThat(StreamConfig.DEFAULT.withSendQueue(1000).framesPerPost())
                .isEqualTo(StreamConfig.DEFAULT_FRAMES_PER_POST);
    }

    @Test
    void theQueuePairHasRoomForBoth() {
        QueuePairConfig config = new StreamConfig(8192, 8192, 16, 99, 77, 3, 64, 1, 1, true, 1, false).queuePair();
        assertThat(config.type()).isEqualTo(QueuePairType.RC);
        assertThat(config.maxSends()).isEqualTo(77);
        assertThat(config.maxReceives()).isEqualTo(99);
        assertThat(config.sendSge()).isEqualTo(3);
        assertThat(config.receiveSge()).isEqualTo(1);
        assertThat(config.maxInline()).isEqualTo(64);
    }

    @Test
    void sizesOfReceivesEndWithTheLargest() {
        assertThat(StreamConfig.DEFAULT.receiveSizes()).containsExactly(1040, 8208, 65552);
        assertThat(StreamConfig.DEFAULT.withReceiveBuffer(8192).receiveSizes()).containsExactly(8192);
        assertThat(StreamConfig.DEFAULT.withReceiveBuffers(1040, 1041).receiveSizes()).containsExactly(1040, 1041);
        assertThat(StreamConfig.DEFAULT.withReceiveBuffers(64, 1 << 24).withWindow(16, 1 << 16).receiveSizes())
                .containsExactly(64, 400, 3088, 24592, 196624, 1572880, 1 << 24);
        assertThat(StreamConfig.DEFAULT.withRemoteAccess(false, 4096).receiveSizes()).as("the device sends no more")
                .containsExactly(1040, 4096);
    }

    @Test
    void windowsOfLargeReceivesHaveAsManyBytesAsThoseOfEightKilobytes() {
        StreamConfig config = StreamConfig.DEFAULT;
        assertThat(config.maxWindow(1040)).isEqualTo(128);
        assertThat(config.maxWindow(8208)).isEqualTo(128);
        assertThat(config.maxWindow(65552)).isEqualTo(16);
        StreamConfig few = config.withWindow(16, 16);
        assertThat(few.receiveSizes()).as("16 of them have 128 KiB").containsExactly(1040, 8192 + 16);
        assertThat(config.withReceiveBuffer(1 << 20).maxWindow(1 << 20)).as("a size that was asked for")
                .isEqualTo(128);
    }
}
