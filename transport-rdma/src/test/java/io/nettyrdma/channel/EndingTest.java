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

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelPromise;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Every way in which a channel ends, and what becomes of the messages that it had flushed. */
class EndingTest extends ChannelSetup {

    private static final int LINGER_SECONDS = 5;

    // ---- close ----

    @Test
    void closeIsOverAtOnceAndFlushedMessagesAreSentAfterIt() {
        TestLink link = open();
        link.room = 1;
        ChannelPromise first = send("a");
        ChannelPromise second = send("b");
        assertThat(close().isSuccess()).isTrue();
        assertThat(recorder.events).containsExactly("active", "inactive");
        assertThat(link.state).isEqualTo(TestLink.State.DRAINING);
        assertThat(link.sent).containsExactly("a");
        link.room = 1;
        link.batch();
        assertThat(link.sent).containsExactly("a", "b", TestLink.FIN);
        assertThat(List.of(first, second)).noneMatch(ChannelPromise::isDone);
        link.acknowledge();
        assertThat(List.of(first, second)).allMatch(ChannelPromise::isSuccess);
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void closeWithoutMessagesSendsTheEnd() {
        TestLink link = open();
        close();
        assertThat(link.sent).containsExactly(TestLink.FIN);
        assertThat(link.drainMillis).isEqualTo(
                channel.config().getOption(RdmaChannelOption.CLOSE_TIMEOUT_MILLIS));
        link.acknowledge();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void closeOfAnUnconnectedChannelLeavesTheLink() {
        TestLink link = register();
        close();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void closeFailsMessagesThatWereNotFlushed() {
        TestLink link = open();
        ChannelPromise flushed = send("a");
        ChannelPromise written = write("b");
        close();
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
        link.acknowledge();
        assertThat(flushed.isSuccess()).isTrue();
        assertThat(link.sent).containsExactly("a", TestLink.FIN);
    }

    @Test
    void closeSendsNoMoreThanTheSendBufferHolds() {
        channel.config().setSendBufferSize(2);
        TestLink link = open();
        link.room = 0;
        ChannelPromise first = send("ab");
        ChannelPromise second = send("c");
        close();
        assertThat(first.isDone()).isFalse();
        assertThat(second.cause()).isInstanceOf(ClosedChannelException.class);
        link.room = 2;
        link.batch();
        link.acknowledge();
        assertThat(link.sent).containsExactly("ab", TestLink.FIN);
        assertThat(first.isSuccess()).isTrue();
    }

    @Test
    void cancelledMessageIsNotSentAfterAClose() {
        TestLink link = open();
        link.room = 0;
        ChannelPromise first = write("a");
        ChannelPromise second = write("b");
        first.cancel(false);
        channel.flush();
        close();
        link.room = 2;
        link.batch();
        link.acknowledge();
        assertThat(link.sent).containsExactly("b", TestLink.FIN);
        assertThat(second.isSuccess()).isTrue();
    }

    @Test
    void messagesFailIfTheLinkFailsAfterAClose() {
        TestLink link = open();
        link.room = 1;
        ChannelPromise first = send("a");
        ChannelPromise second = send("b");
        close();
        IOException timedOut = new IOException("did not take it");
        link.fail(timedOut);
        assertThat(List.of(first, second)).allSatisfy(promise ->
                assertThat(promise.cause()).isInstanceOf(ClosedChannelException.class).hasCause(timedOut));
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void messagesFailIfThePeerLeavesAfterAClose() {
        TestLink link = open();
        link.room = 0;
        ChannelPromise written = send("a");
        close();
        link.peerLeaves();
        assertThat(written.isDone()).isFalse();
        link.peerIsGone();
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class)
                .cause().hasMessageContaining("Broken pipe");
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void messageThatCannotBeSentAfterACloseFailsThoseBehindIt() {
        TestLink link = open();
        link.room = 1;
        ChannelPromise first = send("a");
        ChannelPromise second = send("b");
        ChannelPromise third = send("c");
        close();
        link.room = 2;
        link.unsendable = "b";
        link.batch();
        link.acknowledge();
        assertThat(link.sent).containsExactly("a", TestLink.FIN);
        assertThat(first.isSuccess()).isTrue();
        assertThat(List.of(second, third)).allSatisfy(promise ->
                assertThat(promise.cause()).hasMessage("cannot send b"));
    }

    @Test
    void bytesThatArriveAfterACloseAreReleased() {
        TestLink link = open();
        close();
        link.receive("late");
        assertThat(link.received).allMatch(CountedBuf::isReleasedOnce);
        assertThat(recorder.events).containsExactly("active", "inactive");
    }

    @Test
    void closeInAListenerOfAWriteKeepsTheOrder() {
        TestLink link = open();
        link.room = 1;
        ChannelPromise first = write("a").addListener(ChannelFutureListener.CLOSE);
        ChannelPromise second = write("b");
        channel.flush();
        link.acknowledge();
        assertThat(first.isSuccess()).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThat(link.state).isEqualTo(TestLink.State.DRAINING);
        link.room = 1;
        link.batch();
        link.acknowledge();
        assertThat(link.sent).containsExactly("a", "b", TestLink.FIN);
        assertThat(second.isSuccess()).isTrue();
    }

    @Test
    void secondCloseJoinsTheFirst() {
        TestLink link = open();
        ChannelFuture first = channel.close();
        ChannelFuture second = channel.close();
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isSuccess()).isTrue();
        assertThat(link.sent).containsExactly(TestLink.FIN);
    }

    @Test
    void writeAfterACloseFails() {
        open();
        close();
        assertThat(send("late").cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void forcedCloseFiresNoEvent() {
        TestLink link = open();
        channel.unsafe().closeForcibly();
        turn();
        assertThat(channel.isOpen()).isFalse();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
        assertThat(link.isCancelled).isTrue();
        assertThat(recorder.events).containsExactly("active");
    }

    // ---- SO_LINGER ----

    @Test
    void lingerOfZeroAborts() {
        channel.config().setSoLinger(0);
        TestLink link = open();
        ChannelPromise written = send("a");
        close();
        assertThat(link.isAborted).isTrue();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(link.sent).containsExactly("a");
    }

    @Test
    void lingeringCloseWaitsForTheAcknowledgement() {
        channel.config().setSoLinger(LINGER_SECONDS);
        TestLink link = open();
        ChannelPromise written = send("a");
        ChannelFuture closing = close();
        assertThat(channel.isActive()).isFalse();
        assertThat(closing.isDone()).isFalse();
        link.acknowledge();
        turn();
        assertThat(closing.isSuccess()).isTrue();
        assertThat(written.isSuccess()).isTrue();
        assertThat(recorder.events).containsExactly("active", "inactive");
    }

    @Test
    void lingeringCloseEndsWithItsTime() {
        channel.config().setSoLinger(LINGER_SECONDS);
        TestLink link = open();
        ChannelPromise written = send("a");
        ChannelFuture closing = close();
        pass(LINGER_SECONDS * 1_000 - 1);
        assertThat(closing.isDone()).isFalse();
        pass(1);
        assertThat(closing.isSuccess()).isTrue();
        assertThat(link.state).isEqualTo(TestLink.State.DRAINING);
        link.acknowledge();
        assertThat(written.isSuccess()).isTrue();
    }

    // ---- shutdown of the output ----

    @Test
    void shutdownOutputIsOverWhenTheEndIsAcknowledged() {
        TestLink link = open();
        link.room = 1;
        ChannelPromise first = send("a");
        ChannelPromise second = send("b");
        ChannelPromise shutdown = promise(channel);
        channel.shutdownOutput(shutdown);
        assertThat(channel.isOutputShutdown()).isFalse();
        link.room = 1;
        link.batch();
        assertThat(link.sent).containsExactly("a", "b", TestLink.FIN);
        link.acknowledge();
        assertThat(List.of(first, second, shutdown)).allMatch(ChannelPromise::isSuccess);
        assertThat(channel.isOutputShutdown()).isTrue();
        assertThat(channel.isActive()).isTrue();
        link.receive("answer");
        assertThat(recorder.events).contains("ChannelOutputShutdownEvent", "read answer");
    }

    /** As with each transport of Netty, whose outbound buffer is gone then. */
    @Test
    void secondShutdownOutputFailsWhenTheFirstIsOver() {
        TestLink link = open();
        ChannelPromise first = promise(channel);
        ChannelPromise second = promise(channel);
        channel.shutdownOutput(first);
        channel.shutdownOutput(second);
        assertThat(List.of(first, second)).noneMatch(ChannelPromise::isDone);
        link.acknowledge();
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(link.sent).containsExactly(TestLink.FIN);
    }

    @Test
    void writeAfterShutdownOutputFails() {
        TestLink link = open();
        channel.shutdownOutput();
        link.acknowledge();
        assertThat(send("late").cause()).isInstanceOf(IOException.class);
        assertThat(channel.isActive()).isTrue();
    }

    @Test
    void closeEndsAShutdownWhoseFinIsSent() {
        TestLink link = open();
        ChannelPromise shutdown = promise(channel);
        channel.shutdownOutput(shutdown);
        close();
        assertThat(shutdown.isSuccess()).isTrue();
        assertThat(link.sent).containsExactly(TestLink.FIN);
    }

    @Test
    void closeTakesAShutdownAlongWithTheMessagesBeforeIt() {
        TestLink link = open();
        ChannelPromise message = send("message");
        ChannelPromise shutdown = promise(channel);
        channel.shutdownOutput(shutdown);
        close();
        assertThat(List.of(message, shutdown)).noneMatch(ChannelPromise::isDone);
        link.acknowledge();
        assertThat(List.of(message, shutdown)).allMatch(ChannelPromise::isSuccess);
        assertThat(link.sent).containsExactly("message", TestLink.FIN);
    }

    @Test
    void shutdownOutputEndsIfThePeerLeaves() {
        TestLink link = open();
        channel.config().setAutoRead(false);
        ChannelPromise shutdown = promise(channel);
        channel.shutdownOutput(shutdown);
        link.peerIsGone();
        turn();
        assertThat(shutdown.isDone()).isTrue();
    }

    @Test
    void shutdownOfAnUnconnectedChannelFails() {
        register();
        ChannelPromise shutdown = promise(channel);
        channel.shutdownOutput(shutdown);
        assertThat(shutdown.isSuccess()).isFalse();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void shutdownOfBothDirectionsCompletesWithTheOutput() {
        TestLink link = open();
        ChannelPromise shutdown = promise(channel);
        channel.shutdown(shutdown);
        assertThat(channel.isInputShutdown()).isTrue();
        assertThat(shutdown.isDone()).isFalse();
        link.acknowledge();
        assertThat(shutdown.isSuccess()).isTrue();
        assertThat(channel.isShutdown()).isTrue();
    }

    // ---- the peer ----

    @Test
    void endOfThePeerClosesAChannelWithoutHalfClosure() {
        TestLink link = open();
        link.receiveEnd("a");
        turn();
        assertThat(recorder.events).containsExactly("active", "read a", "complete", "inactive");
        assertThat(link.sent).containsExactly(TestLink.FIN);
        link.acknowledge();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void peerThatLeavesWithoutAnEndIsAReset() {
        TestLink link = open();
        link.peerLeaves();
        turn();
        assertThat(channel.isActive()).isTrue();
        link.peerIsGone();
        turn();
        assertThat(recorder.events).containsExactly("active", "caught", "inactive");
        assertThat(recorder.caught).isInstanceOf(SocketException.class).hasMessageContaining("Connection reset");
    }

    @Test
    void bytesAreReadBeforeAReset() {
        channel.config().setAutoRead(false);
        TestLink link = open();
        link.receive("a");
        link.peerIsGone();
        turn();
        assertThat(recorder.events).containsExactly("active");
        channel.config().setAutoRead(true);
        turn();
        assertThat(recorder.events).containsExactly("active", "read a", "complete", "caught", "inactive");
    }

    @Test
    void peerThatHasLeftBreaksThePipe() {
        channel.config().setAllowHalfClosure(true);
        TestLink link = open();
        link.receiveEnd();
        link.peerIsGone();
        turn();
        ChannelPromise written = send("late");
        assertThat(written.cause()).isInstanceOf(SocketException.class).hasMessageContaining("Broken pipe");
        assertThat(link.sent).doesNotContain("late");
    }

    @Test
    void emptyMessageToAPeerThatHasLeftSucceeds() {
        channel.config().setAllowHalfClosure(true);
        TestLink link = open();
        link.receiveEnd();
        link.peerIsGone();
        turn();
        assertThat(send("").isSuccess()).isTrue();
        assertThat(channel.isActive()).isTrue();
    }

    // ---- failures ----

    @Test
    void failureOfTheLinkClosesTheChannel() {
        TestLink link = open();
        link.room = 0;
        ChannelPromise written = send("a");
        IOException reset = new SocketException("Connection reset by peer");
        link.fail(reset);
        turn();
        assertThat(recorder.events).containsExactly("active", "caught", "inactive");
        assertThat(recorder.caught).isSameAs(reset);
        assertThat(written.cause()).isSameAs(reset);
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void failureWaitsUntilTheBytesAreReadAndFailsWritesNow() {
        channel.config().setAutoRead(false).setAutoClose(false);
        TestLink link = open();
        link.receive("a");
        link.room = 0;
        ChannelPromise written = send("late");
        link.fail(new SocketException("Connection reset by peer"));
        turn();
        assertThat(written.cause()).hasRootCauseMessage("Connection reset by peer");
        assertThat(channel.isActive()).isTrue();
        channel.config().setAutoRead(true);
        turn();
        assertThat(recorder.events).containsExactly("active", "ChannelOutputShutdownEvent", "read a", "complete",
                "caught", "inactive");
    }

    @Test
    void messageThatCannotBeSentClosesTheChannel() {
        TestLink link = open();
        link.unsendable = "b";
        ChannelPromise first = write("a");
        ChannelPromise second = write("b");
        ChannelPromise third = send("c");
        turn();
        assertThat(channel.isOpen()).isFalse();
        assertThat(List.of(second, third)).allSatisfy(promise ->
                assertThat(promise.cause()).isInstanceOf(IOException.class));
        assertThat(first.isDone()).isFalse();
        link.acknowledge();
        assertThat(first.isSuccess()).isTrue();
        assertThat(link.sent).containsExactly("a", TestLink.FIN);
    }

    @Test
    void messageThatCannotBeSentShutsTheOutputWithoutAutoClose() {
        channel.config().setAutoClose(false);
        TestLink link = open();
        link.unsendable = "b";
        ChannelPromise first = write("a");
        ChannelPromise second = send("b");
        turn();
        assertThat(second.cause()).isInstanceOf(IOException.class);
        assertThat(first.isDone()).isFalse();
        assertThat(channel.isOutputShutdown()).isTrue();
        assertThat(channel.isActive()).isTrue();
        link.acknowledge();
        assertThat(first.isSuccess()).isTrue();
        assertThat(link.sent).containsExactly("a", TestLink.FIN);
    }

    @Test
    void endOfTheLoopClosesTheChannel() {
        TestLink link = open();
        ChannelPromise written = send("a");
        link.endLoop();
        turn();
        assertThat(recorder.events).containsExactly("active", "inactive");
        link.acknowledge();
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void promisesOfAClosedChannelCompleteInOrder() {
        TestLink link = open();
        link.room = 0;
        List<String> done = new ArrayList<>();
        for (String text : List.of("a", "b", "c")) {
            write(text).addListener(future -> done.add(text));
        }
        channel.flush();
        close();
        link.room = 3;
        link.batch();
        link.acknowledge();
        assertThat(done).containsExactly("a", "b", "c");
    }
}
