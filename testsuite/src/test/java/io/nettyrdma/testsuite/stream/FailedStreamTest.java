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
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What a stream does with its work requests when its queue pair, its peer, or a post has failed. */
@Tag("device")
@OneProcess("both ends of a stream are inspected")
class FailedStreamTest {

    private static final int LARGE = 50_000;
    /** Bytes of a message that is gathered, and one frame. */
    /** With room for a frame in each receive. */
    private static final StreamConfig CONFIG = StreamConfig.DEFAULT.withReceiveBuffer(8192);
    private static final int FRAME = 5_000;
    private static final int WINDOW = 16;
    private static final int TURNS = 10;

    @AfterEach
    void endFaults() throws Exception {
        SoftHca.noFaults();
    }

    /** The error state would flush them again, without end. */
    @Test
    void flushedReceivesAreNotPostedAgain() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG.withWindow(WINDOW, WINDOW))) {
            pair.left.endpoint.toError();
            pair.until("the posted receives", () -> pair.left.received >= WINDOW);
            for (int i = 0; i < TURNS; i++) {
                pair.left.turn();
            }
            assertThat(pair.left.received).isEqualTo(WINDOW);
        }
    }

    /** No flush follows that would complete its promise. */
    @Test
    void sendCompletedAfterPeerLeftSucceeds() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            ChannelPromise written = pair.left.writeAndFlush(pair.left.registered(LARGE));
            pair.left.stream.peerHasLeft();
            pair.until("the promise", written::isSuccess);
        }
    }

    /** Those of inline frames are free when they are posted, the others when they complete. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 64 })
    void refusedPostReleasesItsSlotsAndBuffers(int maxInline) throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (StreamPair pair = new StreamPair(CONFIG.withMaxInline(maxInline))) {
            StreamEnd left = pair.left;
            int slots = left.staging.inUse();
            ByteBuf large = left.registered(LARGE);
            List<ChannelPromise> written = new ArrayList<>();
            written.add(left.write(Unpooled.wrappedBuffer(new byte[10])));
            written.add(left.write(large.retain()));
            written.add(left.write(Unpooled.wrappedBuffer(new byte[10])));
            SoftHca.faults(1, "post=1");
            assertThatExceptionOfType(PostException.class).isThrownBy(left::flush);
            assertThat(left.staging.inUse()).isEqualTo(slots);
            assertThat(large.refCnt()).as("of the test, and of the outbound buffer").isEqualTo(2);
            assertThat(written).noneMatch(ChannelPromise::isDone);
            large.release();
        }
    }

    /**
     * The peer's end becomes known while completions wait to be handled, and the listener of the first of them flushes.
     * iWARP refuses that post; other devices take and flush it.
     *
     * <pre>
     *   completions of sends     | first: sent | second: sent |
     *   the first's listener     the peer ends, own receives are flushed, two more messages are
     * </pre>
     */
    @ParameterizedTest
    @ValueSource(ints = { 100, FRAME })
    void completedSendSucceedsDespiteALaterRefusedPost(int length) throws Exception {
        RdmaDeviceInfo.Transport transport = TestDevice.get().device().info().transport();
        assumeTrue(transport == RdmaDeviceInfo.Transport.IWARP, "the peer's end is not noticed, and posts are flushed");
        Deadline deadline = Deadline.standard();
        // A device may be late: then only one completion waits, and there is nothing to see.
        while (sendsUntilTheEndIsKnown(length) < 2) {
            deadline.pause(() -> "two completions before the end");
        }
    }

    /** Returns how many messages the device has sent. */
    private static int sendsUntilTheEndIsKnown(int length) throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            StreamEnd left = pair.left;
            List<ChannelPromise> written = new ArrayList<>();
            ChannelPromise first = left.write(left.registered(FRAME));
            written.add(first);
            first.addListener(done -> {
                pair.right.endpoint.toError();
                Deadline flushed = Deadline.standard();
                while (left.endpoint.receives().queue().poll() == 0) {
                    flushed.pause(() -> "a receive that is flushed");
                }
                written.add(left.write(Unpooled.buffer(length).writeZero(length)));
                written.add(left.write(left.registered(FRAME)));
                left.flush();
            });
            left.flush();
            written.add(left.writeAndFlush(left.registered(FRAME)));
            Deadline arrived = Deadline.standard();
            while (pair.right.received < written.size()) {
                pair.right.turn();
                arrived.pause(() -> "both messages");
            }
            // The listener takes what completed of the receives, so no other code may look at them.
            Deadline completed = Deadline.standard();
            while (!first.isDone()) {
                left.completeSends();
                completed.pause(() -> "the first completion");
            }
            for (int i = 0; i < TURNS; i++) {
                left.completeSends();
            }
            assertThat(written).as("the listener has come to its end").hasSize(4);
            assertThat(written.stream().filter(ChannelPromise::isSuccess)).hasSize(left.succeeded);
            return left.succeeded;
        }
    }
}
