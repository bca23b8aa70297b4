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
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Every promise completes even if nothing more is written. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class PromisesTest {

    private static final int LARGE = 50_000;
    /** Bytes that one frame has room for. */
    private static final int FRAME = 8_000;
    private static final int SENDS = 4;
    private static final int INLINE = 64;

    /** An inline send needs no completion of its own, but leaves the outbound buffer only after earlier sends. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 64, 512 })
    void smallMessageCompletesAfterALargeOne(int maxInline) throws Exception {
        assumeTrue(TestDevice.get().capabilities().maxSendSge() > 1, "a device with one SGE gets copies");
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
    void smallMessageIsCopiedAndCompletesAtOnce() throws Exception {
        try (StreamPair pair = new StreamPair(StreamConfig.DEFAULT)) {
            assertThat(pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[5])).isSuccess()).isTrue();
        }
    }

    /** The post has copied it. */
    @Test
    void inlineMessageUsesNoSlot() throws Exception {
        assumeTrue(TestDevice.get().capabilities().maxInline() >= INLINE, "the device takes no data inline");
        try (StreamPair pair = new StreamPair(StreamConfig.DEFAULT.withMaxInline(INLINE))) {
            int slots = pair.left.staging.inUse();
            pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[5]));
            assertThat(pair.left.staging.inUse()).isEqualTo(slots);
        }
    }

    /** Not only when all that was sent is done. */
    @Test
    void eachCompletionReportsProgress() throws Exception {
        assumeTrue(TestDevice.get().capabilities().maxSendSge() > 1, "a device with one SGE gets copies");
        int receive = 1_024;
        StreamConfig config = StreamConfig.DEFAULT.withReceiveBuffer(receive).withWindow(128, 128).withSendQueue(16);
        try (StreamPair pair = new StreamPair(config)) {
            List<Long> reported = new ArrayList<>();
            ChannelProgressivePromise promise = pair.left.channel.newProgressivePromise();
            promise.addListener((OnProgress) () -> reported.add(pair.left.outbound().currentProgress()));
            pair.left.write(pair.left.registered(LARGE), promise);
            pair.left.flush();
            pair.until("the promise", promise::isSuccess);
            assertThat(reported).isSorted().doesNotHaveDuplicates().endsWith((long) LARGE);
            assertThat(reported.get(0)).as("a quarter of the send queue").isLessThanOrEqualTo(4L * receive);
        }
    }

    /** The peer has room for a part of it, and reads nothing. */
    @Test
    void aMessageReportsProgressFrameByFrame() throws Exception {
        assumeTrue(TestDevice.get().capabilities().maxSendSge() > 1, "a device with one SGE gets copies");
        StreamConfig config = StreamConfig.DEFAULT.withReceiveBuffer(1_024).withWindow(16, 16);
        try (StreamPair pair = new StreamPair(config)) {
            List<Long> reported = new ArrayList<>();
            ChannelProgressivePromise promise = pair.left.channel.newProgressivePromise();
            promise.addListener((OnProgress) () -> reported.add(pair.left.outbound().currentProgress()));
            pair.right.reads = false;
            pair.left.write(pair.left.registered(LARGE), promise);
            pair.left.flush();
            pair.until("progress", () -> !reported.isEmpty());
            assertThat(reported).allMatch(each -> each > 0 && each < LARGE);
            assertThat(promise.isDone()).isFalse();
            pair.right.reads = true;
            pair.until("the promise", promise::isSuccess);
            assertThat(reported).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(1).endsWith((long) LARGE);
        }
    }

    /**
     * On iWARP the device refuses a post when the connection has ended, which a stream does not know yet. If a listener
     * of progress flushes at that moment, nothing is sent any more, and nothing that was not sent succeeds.
     */
    @Test
    void progressListenerFlushesAfterTheEndOfTheConnection() throws Exception {
        assumeTrue(TestDevice.get().device().info().transport() == RdmaDeviceInfo.Transport.IWARP,
                "elsewhere the device takes the post and flushes it");
        StreamConfig config = StreamConfig.DEFAULT.withSendQueue(SENDS);
        List<ChannelPromise> written = new ArrayList<>();
        try (StreamPair pair = new StreamPair(config)) {
            StreamEnd left = pair.left;
            boolean[] flushed = { false };
            ChannelProgressivePromise first = left.channel.newProgressivePromise();
            first.addListener((OnProgress) () -> {
                if (!flushed[0]) {
                    flushed[0] = true;
                    endFromAfar(pair);
                    left.flush();
                }
            });
            written.add(left.write(left.registered(FRAME), first));
            for (int i = 1; i < 2 * SENDS; i++) {
                written.add(left.write(left.registered(FRAME)));
            }
            left.flush();
            pair.until("the first message's progress", () -> flushed[0]);
            long sent = left.counters.get(RdmaCounter.BYTES_GATHERED) + left.counters.get(RdmaCounter.BYTES_COPIED_OUT);
            assertThat(written.stream().filter(ChannelPromise::isSuccess).count() * FRAME)
                    .as("bytes whose writes succeeded").isLessThanOrEqualTo(sent);
        }
        assertThat(written).allMatch(ChannelPromise::isDone);
    }

    /** Returns when the left device has ended the connection: then it flushes what is posted to receive. */
    private static void endFromAfar(StreamPair pair) throws Exception {
        pair.right.endpoint.toError();
        Deadline deadline = Deadline.standard();
        while (pair.left.endpoint.receives().queue().poll() == 0) {
            deadline.pause(() -> "the end of the connection");
        }
    }

    @FunctionalInterface
    private interface OnProgress extends ChannelProgressiveFutureListener {

        void progressed() throws Exception;

        @Override
        default void operationProgressed(ChannelProgressiveFuture future, long progress, long total) throws Exception {
            progressed();
        }

        @Override
        default void operationComplete(ChannelProgressiveFuture future) {
        }
    }
}
