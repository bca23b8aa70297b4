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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class OutboundMessagesTest {

    @TempDir
    Path files;

    /** Only its outbound buffer is used. */
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    private final OutboundMessages messages = new OutboundMessages();

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    private ChannelPromise write(Object message) {
        ChannelPromise promise = channel.newPromise();
        channel.unsafe().write(message, promise);
        out.addFlush();
        return promise;
    }

    private static ByteBuf buffer(int length) {
        return Unpooled.buffer(length).writeZero(length);
    }

    /** Gathers bytes of the message after those that were sent. */
    private void gathered(long bytes) {
        messages.gathered(bytes);
    }

    private void gathered(ByteBuf whole) {
        gathered(whole.readableBytes());
        messages.ended();
    }

    private void done(int count, long ofNext) {
        messages.done(count, ofNext);
        messages.remove(out);
    }

    @Test
    void promiseCompletesWithItsMessage() {
        ChannelPromise first = write(buffer(10));
        ChannelPromise second = write(buffer(5));
        gathered(buffer(10));
        gathered(buffer(5));
        done(0, 9);
        assertThat(first.isDone()).isFalse();
        assertThat(out.currentProgress()).isEqualTo(9);
        assertThat(messages.unremoved()).isEqualTo(2);
        done(1, 1);
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isFalse();
        assertThat(out.currentProgress()).isEqualTo(1);
        assertThat(messages.unremoved()).isEqualTo(1);
        done(2, 0);
        assertThat(second.isSuccess()).isTrue();
        assertThat(messages.unremoved()).isZero();
        assertThat(messages.isWaiting()).isFalse();
        assertThat(out.isEmpty()).isTrue();
    }

    /** Frames complete in order, but copied parts were done as soon as they were copied. */
    @Test
    void doneNeverMovesBackwards() {
        messages.copied(3);
        messages.ended();
        messages.copied(7);
        messages.done(1, 0);
        assertThat(messages.isWaiting()).isFalse();
    }

    @Test
    void emptyMessagesCompleteWithThePrecedingMessage() {
        ChannelPromise empty = write(buffer(0));
        ChannelPromise full = write(buffer(3));
        ChannelPromise last = write(buffer(0));
        messages.ended();
        gathered(buffer(3));
        messages.ended();
        messages.remove(out);
        assertThat(empty.isSuccess()).isTrue();
        assertThat(full.isDone()).isFalse();
        messages.allDone();
        messages.remove(out);
        assertThat(last.isSuccess()).isTrue();
        assertThat(out.isEmpty()).isTrue();
    }

    /** Netty has emptied it, hides it from the sender, and keeps its entry. */
    @Test
    void aCancelledMessageIsNotCounted() {
        ChannelPromise cancelled = channel.newPromise();
        channel.unsafe().write(buffer(7), cancelled);
        cancelled.cancel(false);
        ChannelPromise second = write(buffer(3));
        gathered(buffer(3));
        done(1, 0);
        assertThat(second.isSuccess()).isTrue();
        assertThat(out.isEmpty()).isTrue();
    }

    @Test
    void fileCompletesAfterItsLastFrame() throws Exception {
        File file = Files.write(files.resolve("file"), new byte[100]).toFile();
        FileRegion region = new DefaultFileRegion(file, 10, 80);
        assertThat(OutboundMessages.length(region)).isEqualTo(80);
        List<Long> progress = new ArrayList<>();
        ChannelProgressivePromise promise = channel.newProgressivePromise();
        promise.addListener(new ProgressListener(() -> progress.add(out.currentProgress())));
        channel.unsafe().write(region, promise);
        out.addFlush();
        region.transferTo(Channels.newChannel(new ByteArrayOutputStream()), 0);
        gathered(80);
        messages.ended();
        done(0, 30);
        assertThat(promise.isDone()).isFalse();
        done(1, 0);
        assertThat(promise.isSuccess()).isTrue();
        assertThat(progress).containsExactly(30L, 80L);
        assertThat(messages.unremoved()).isZero();
    }

    @Test
    void theLastMessagesAreCounted() {
        assertThat(messages.maxUnsent()).isEqualTo(Integer.MAX_VALUE);
        gathered(buffer(10));
        messages.endAfter(2);
        messages.endAfter(7);
        assertThat(messages.maxUnsent()).as("only the first call counts").isEqualTo(2);
        gathered(buffer(10));
        assertThat(messages.maxUnsent()).isEqualTo(1);
        assertThat(messages.isAtEnd()).isFalse();
        gathered(buffer(10));
        assertThat(messages.maxUnsent()).isZero();
        assertThat(messages.isAtEnd()).isTrue();
    }

    @Test
    void copiedBytesCompleteAfterEarlierGatheredBytes() {
        messages.copied(10);
        assertThat(messages.isWaiting()).isFalse();
        messages.ended();
        assertThat(messages.isWaiting()).isFalse();
        messages.gathered(4);
        assertThat(messages.isWaiting()).isTrue();
        messages.copied(5);
        messages.ended();
        assertThat(messages.isWaiting()).isTrue();
        messages.done(1, 4);
        assertThat(messages.isWaiting()).isTrue();
        messages.allDone();
        assertThat(messages.isWaiting()).isFalse();
    }

    @Test
    void bufferWithMovedIndexesIsOneMessage() {
        ByteBuf moved = buffer(10);
        ChannelPromise first = write(moved);
        ChannelPromise second = write(buffer(5));
        gathered(10);
        messages.ended();
        gathered(2);
        moved.skipBytes(9);
        done(1, 0);
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isFalse();
        assertThat(messages.unremoved()).isZero();
    }

    @Test
    void missingMessageIsDetected() {
        write(buffer(10));
        write(buffer(10));
        gathered(buffer(10));
        gathered(3);
        assertThatNoException().isThrownBy(() -> messages.check(out));
        out.remove();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> messages.check(out))
                .withMessageContaining("has 1 messages, and 2 of it were sent");
    }

    /** Netty has failed it, and the channel keeps the messages before it until they are done. */
    @Test
    void restOfAThrowingMessageIsNotMissing() {
        write(buffer(10));
        gathered(buffer(10));
        gathered(3);
        messages.endHere();
        assertThatNoException().isThrownBy(() -> messages.check(out));
        out.remove();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> messages.check(out));
    }

    /** Messages that a listener completes are removed by the outer call that notified the listener. */
    @Test
    void aListenerMayWriteAndFinishMore() {
        List<String> order = new ArrayList<>();
        ChannelPromise[] later = new ChannelPromise[1];
        ChannelPromise first = write(buffer(10));
        first.addListener(future -> {
            order.add("first");
            later[0] = write(buffer(7));
            later[0].addListener(again -> order.add("later"));
            gathered(buffer(7));
            done(3, 0);
            // An exception from a listener would only be logged.
            order.add("first returns");
        });
        ChannelPromise second = write(buffer(1));
        second.addListener(future -> order.add("second"));
        gathered(buffer(10));
        gathered(buffer(1));
        done(2, 0);
        assertThat(later[0].isSuccess()).isTrue();
        assertThat(order).containsExactly("first", "first returns", "second", "later");
        assertThat(messages.unremoved()).isZero();
    }

    @Test
    void aListenerMayCloseTheChannel() {
        ChannelPromise first = write(buffer(10));
        ChannelPromise second = write(buffer(10));
        first.addListener(future -> {
            messages.stopRemoving();
            channel.close();
        });
        gathered(buffer(10));
        gathered(buffer(10));
        done(2, 0);
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isTrue();
        assertThat(second.isSuccess()).isFalse();
    }

    /** A listener of progress flushes, and the device refuses the post, because the connection has ended. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void aProgressListenerMayGiveUp(boolean isWhole) {
        ChannelProgressivePromise first = channel.newProgressivePromise();
        first.addListener(new ProgressListener(messages::stopRemoving));
        channel.unsafe().write(buffer(10), first);
        ChannelPromise second = write(buffer(10));
        gathered(buffer(10));
        gathered(buffer(10));
        done(isWhole ? 1 : 0, isWhole ? 0 : 4);
        messages.allDone();
        messages.remove(out);
        assertThat(out.currentProgress()).isEqualTo(isWhole ? 10 : 4);
        assertThat(first.isDone()).isFalse();
        assertThat(second.isDone()).isFalse();
        assertThat(out.size()).as("what the owner fails").isEqualTo(2);
    }

    @Test
    void aProgressListenerMayCloseTheChannel() {
        ChannelProgressivePromise first = channel.newProgressivePromise();
        first.addListener(new ProgressListener(() -> {
            messages.stopRemoving();
            channel.close();
        }));
        channel.unsafe().write(buffer(10), first);
        ChannelPromise second = write(buffer(10));
        gathered(buffer(10));
        gathered(buffer(10));
        done(2, 0);
        assertThat(first.isDone()).isTrue();
        assertThat(first.isSuccess()).isFalse();
        assertThat(second.isDone()).isTrue();
        assertThat(second.isSuccess()).isFalse();
    }

    /** It is removed by the outer call, and its progress is reported once. */
    @Test
    void aProgressListenerMayFinishMore() {
        List<Long> progress = new ArrayList<>();
        ChannelProgressivePromise first = channel.newProgressivePromise();
        first.addListener(new ProgressListener(() -> {
            progress.add(out.currentProgress());
            done(2, 0);
        }));
        channel.unsafe().write(buffer(10), first);
        ChannelPromise second = write(buffer(10));
        gathered(buffer(10));
        gathered(buffer(10));
        done(0, 3);
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isSuccess()).isTrue();
        assertThat(progress).containsExactly(3L, 10L);
        assertThat(messages.unremoved()).isZero();
    }

    private record ProgressListener(Runnable action) implements ChannelProgressiveFutureListener {

        @Override
        public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
            action.run();
        }

        @Override
        public void operationComplete(ChannelProgressiveFuture future) {
        }
    }

    /** Copies are done with their post, unless that is refused. Messages that were posted before still complete. */
    @Test
    void copiesOfARefusedPostAreNotDone() {
        ChannelPromise copiedBefore = write(buffer(1));
        ChannelPromise posted = write(buffer(10));
        ChannelPromise refused = write(buffer(2));
        messages.copied(1);
        messages.ended();
        messages.remove(out);
        messages.beginFlush();
        gathered(buffer(10));
        messages.beginFlush();
        messages.copied(2);
        messages.ended();
        messages.refused();
        messages.remove(out);
        assertThat(copiedBefore.isSuccess()).isTrue();
        assertThat(posted.isDone()).isFalse();
        done(2, 0);
        assertThat(posted.isSuccess()).isTrue();
        assertThat(refused.isDone()).isFalse();
    }

    @Test
    void copiesOfARefusedPostAreNotDoneWithNothingInFlight() {
        ChannelPromise refused = write(buffer(2));
        messages.beginFlush();
        messages.copied(2);
        messages.ended();
        messages.refused();
        messages.remove(out);
        assertThat(refused.isDone()).isFalse();
    }

    @Test
    void giveUpRemovesNothingLater() {
        ChannelPromise promise = write(buffer(10));
        gathered(buffer(10));
        messages.allDone();
        messages.stopRemoving();
        messages.remove(out);
        assertThat(promise.isDone()).isFalse();
        messages.remove(null);
    }
}
