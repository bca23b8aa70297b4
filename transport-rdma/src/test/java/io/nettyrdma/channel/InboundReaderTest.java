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
package io.nettyrdma.channel;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.remote.RdmaImmediate;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** From the input of a link to the handlers of a pipeline. */
class InboundReaderTest extends ChannelSetup {

    /** As many messages as Netty reads at a time. */
    private static final int MOST = 16;

    /** An open channel whose first events are forgotten. */
    private TestLink reading(boolean autoRead) {
        channel.config().setAutoRead(autoRead);
        TestLink link = open();
        recorder.events.clear();
        return link;
    }

    @Test
    void batchIsReadAndCompletedOnce() {
        reading(true).receive("a", "b");
        assertThat(recorder.events).containsExactly("read a", "read b", "complete");
    }

    @Test
    void batchWithoutBytesReadsNothing() {
        reading(true).batch();
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void bytesWaitForARead() {
        TestLink link = reading(false);
        link.receive("a", "b");
        turn();
        channel.read();
        assertThat(recorder.events).isEmpty();
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete");
        channel.read();
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "read b", "complete");
    }

    @Test
    void readWaitsForBytes() {
        TestLink link = reading(false);
        channel.read();
        channel.read();
        link.receive("a", "b");
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete");
    }

    @Test
    void readWithinAHandlerComesAfterIt() {
        TestLink link = reading(false);
        recorder.at("read a", () -> {
            channel.read();
            recorder.events.add("has read a");
        });
        channel.read();
        link.receive("a", "b");
        turn();
        assertThat(recorder.events).containsExactly("read a", "has read a", "complete", "read b", "complete");
    }

    @Test
    void readWithinReadCompleteComesAfterIt() {
        TestLink link = reading(false);
        recorder.at("complete", () -> {
            channel.read();
            recorder.events.add("completed");
        });
        channel.read();
        link.receive("a", "b");
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "completed", "read b", "complete");
    }

    @Test
    void manyMessagesAreReadInSeveralRounds() {
        TestLink link = reading(true);
        link.receive(Collections.nCopies(MOST + 1, "a").toArray(String[]::new));
        turn();
        List<String> expected = new ArrayList<>(Collections.nCopies(MOST, "read a"));
        expected.addAll(List.of("complete", "read a", "complete"));
        assertThat(recorder.events).isEqualTo(expected);
    }

    @Test
    void pauseWithinAHandlerLeavesTheRest() {
        TestLink link = reading(true);
        recorder.at("read a", () -> channel.config().setAutoRead(false));
        link.receive("a", "b");
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete");
        channel.config().setAutoRead(true);
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "read b", "complete");
    }

    @Test
    void pauseBeforeTheBytesArriveTakesTheReadBack() {
        TestLink link = reading(true);
        channel.config().setAutoRead(false);
        link.receive("a");
        turn();
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void closeWithinAHandlerReleasesTheRest() {
        TestLink link = reading(true);
        recorder.at("read a", channel::close);
        link.receive("a", "b");
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "inactive");
        assertThat(link.received).allMatch(CountedBuf::isReleasedOnce);
    }

    @Test
    void immediateIsAnEventBetweenItsBytes() {
        TestLink link = reading(false);
        link.receive("a");
        link.receive(new RdmaImmediate(1, 0));
        link.receive("b");
        channel.config().setAutoRead(true);
        turn();
        assertThat(recorder.events).containsExactly("read a", "RdmaImmediate", "read b", "complete");
    }

    @Test
    void endOfTheStreamFollowsTheLastByte() {
        TestLink link = reading(false);
        link.receiveEnd("a", "b");
        turn();
        assertThat(channel.isActive()).isTrue();
        channel.read();
        turn();
        assertThat(channel.isActive()).isTrue();
        channel.read();
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "read b", "complete", "inactive");
    }

    @Test
    void endIsReportedInALaterTurn() {
        TestLink link = reading(true);
        link.receiveEnd("a");
        assertThat(channel.isActive()).isTrue();
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "inactive");
    }

    @Test
    void halfClosureReportsTheEndOnce() {
        channel.config().setAllowHalfClosure(true);
        TestLink link = reading(true);
        link.receiveEnd("a");
        turn();
        link.batch();
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete", "ChannelInputShutdownEvent",
                "ChannelInputShutdownReadComplete");
        assertThat(channel.isInputShutdown()).isTrue();
        send("answer");
        assertThat(link.sent).containsExactly("answer");
    }

    @Test
    void shutdownInputDropsWhatArrives() {
        TestLink link = reading(false);
        link.receive("a");
        channel.shutdownInput();
        link.receive("b");
        channel.read();
        turn();
        assertThat(recorder.events).containsExactly("ChannelInputShutdownEvent");
        assertThat(link.received).allMatch(CountedBuf::isReleasedOnce);
        assertThat(channel.isActive()).isTrue();
    }

    @Test
    void unreadBytesOfAStoppedPeerAreCopied() {
        TestLink link = reading(false);
        link.isPeerStopped = true;
        link.receive("ab", "cd");
        assertThat(link.received).allMatch(CountedBuf::isReleasedOnce);
        assertThat(channel.loopCounters().get(RdmaCounter.BYTES_COPIED_UNREAD)).isEqualTo(4);
        channel.read();
        turn();
        assertThat(recorder.events).containsExactly("read abcd", "complete");
    }

    @Test
    void unreadBytesOfAPeerThatMaySendAreNotCopied() {
        TestLink link = reading(false);
        link.receive("ab");
        assertThat(link.received).noneMatch(CountedBuf::isReleasedOnce);
    }

    @Test
    void copiesEndAtTheReceiveBufferSize() {
        channel.config().setReceiveBufferSize(3);
        TestLink link = reading(false);
        link.isPeerStopped = true;
        link.receive("ab", "cd");
        link.batch();
        assertThat(link.received).first().matches(CountedBuf::isReleasedOnce);
        assertThat(link.received).last().matches(buffer -> buffer.refCnt() == 1);
        assertThat(channel.loopCounters().get(RdmaCounter.PEERS_STOPPED)).isOne();
    }

    @Test
    void stoppedPeerIsCountedAgainAfterARead() {
        channel.config().setReceiveBufferSize(0);
        TestLink link = reading(false);
        link.isPeerStopped = true;
        link.receive("a", "b");
        link.batch();
        channel.read();
        turn();
        assertThat(recorder.events).containsExactly("read a", "complete");
        assertThat(channel.loopCounters().get(RdmaCounter.PEERS_STOPPED)).isEqualTo(2);
    }

    @Test
    void missingMemoryForACopyLeavesTheBytes() {
        TestLink link = reading(false);
        channel.config().setOption(ChannelOption.ALLOCATOR, new AbstractByteBufAllocator() {

            @Override
            public boolean isDirectBufferPooled() {
                return false;
            }

            @Override
            protected ByteBuf newHeapBuffer(int initial, int most) {
                throw new OutOfMemoryError("for the test");
            }

            @Override
            protected ByteBuf newDirectBuffer(int initial, int most) {
                throw new OutOfMemoryError("for the test");
            }
        });
        link.isPeerStopped = true;
        link.receive("ab");
        channel.read();
        turn();
        assertThat(recorder.events).containsExactly("read ab", "complete");
    }

    @Test
    void pipelineGetsTheReceivedBufferItself() {
        TestLink link = open();
        List<Object> read = new ArrayList<>();
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                read.add(message);
                context.fireChannelRead(message);
            }
        });
        link.receive("whole");
        assertThat(read).containsExactly(link.received.get(0));
    }
}
