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
package io.nettyrdma.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The outbound buffers are those of channels that are never flushed, so that no other code takes messages out. */
class PromisingUnsafeTest {

    private static final int MANY = 1_000;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final EmbeddedChannel other = new EmbeddedChannel();
    private final PromisingUnsafe unsafe = new PromisingUnsafe(channel, channel.unsafe());
    private final ChannelOutboundBuffer buffer = unsafe.outboundBuffer();
    private final ChannelOutboundBuffer last = other.unsafe().outboundBuffer();

    @AfterEach
    void close() {
        while (last.remove()) {
            continue;
        }
        channel.unsafe().closeForcibly();
        channel.close();
        other.close();
    }

    @Test
    void promisesCompleteWithTheirMessages() {
        ChannelPromise first = write();
        ChannelPromise second = write();
        ChannelPromise third = write();
        buffer.addFlush();
        buffer.remove();
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isFalse();
        IOException why = new IOException();
        buffer.remove(why);
        assertThat(second.cause()).isSameAs(why);
        channel.close();
        assertThat(third.cause()).isInstanceOf(IOException.class);
    }

    @Test
    void queueOfManyPromisesIsReused() {
        for (int round = 0; round < 3; round++) {
            List<ChannelPromise> waiting = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                waiting.add(write());
                if (i % 3 == 0) {
                    buffer.addFlush();
                    buffer.remove();
                }
            }
            buffer.addFlush();
            while (buffer.remove()) {
                continue;
            }
            assertThat(waiting).allMatch(ChannelPromise::isSuccess);
        }
    }

    /** Hours of the loop's clock pass, in which no message or few are written. */
    @Test
    void queueOfFewPromisesIsReusedAfterAPause() {
        ChannelPromise waiting = writeMany();
        assertThat(channel.runScheduledPendingTasks()).as("a trim is scheduled").isPositive();
        channel.advanceTimeBy(1, TimeUnit.HOURS);
        channel.runScheduledPendingTasks();
        ChannelPromise few = write();
        channel.advanceTimeBy(1, TimeUnit.HOURS);
        channel.runScheduledPendingTasks();
        assertThat(channel.runScheduledPendingTasks()).as("nothing is left to trim").isEqualTo(-1);
        assertThat(waiting.isSuccess()).isTrue();
        buffer.addFlush();
        buffer.remove();
        assertThat(few.isSuccess()).isTrue();
        assertThat(writeMany().isSuccess()).isTrue();
    }

    @Test
    void waitingPromisesOutliveATrim() {
        List<ChannelPromise> waiting = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            waiting.add(write());
        }
        buffer.addFlush();
        for (int i = 0; i < MANY - 3; i++) {
            buffer.remove();
        }
        for (int hour = 0; hour < 3; hour++) {
            channel.advanceTimeBy(1, TimeUnit.HOURS);
            channel.runScheduledPendingTasks();
        }
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
        waiting.add(write());
        buffer.addFlush();
        while (buffer.remove()) {
            continue;
        }
        assertThat(waiting).allMatch(ChannelPromise::isSuccess);
    }

    @Test
    void cancelledPromiseIsSkipped() {
        List<ChannelPromise> written = List.of(write(), write(), write(), write());
        assertThat(written.get(0).cancel(false)).isTrue();
        assertThat(written.get(2).cancel(false)).isTrue();
        buffer.addFlush();
        assertThat(written.get(1).cancel(false)).as("flushed").isFalse();
        assertThat(unsafe.move(buffer, 2, last)).isEqualTo(2);
        channel.close();
        assertThat(last.size()).isEqualTo(2);
        last.remove();
        assertThat(written.get(1).isSuccess()).isTrue();
        last.remove();
        assertThat(written.get(3).isSuccess()).isTrue();
    }

    /** The close of the channel fails what stayed, and completes nothing that was moved. */
    @Test
    void movedMessagesOutliveTheChannel() {
        ByteBuf message = Unpooled.directBuffer(1).writeByte(7);
        ChannelPromise moved = write(message);
        ChannelPromise stayed = write();
        ChannelPromise unflushed = write();
        buffer.addFlush();
        unsafe.move(buffer, 1, last);
        channel.close();
        assertThat(stayed.cause()).isInstanceOf(IOException.class);
        assertThat(unflushed.isDone()).isTrue();
        assertThat(moved.isDone()).isFalse();
        assertThat(last.current()).isSameAs(message);
        assertThat(message.refCnt()).isOne();
        last.remove();
        assertThat(moved.isSuccess()).isTrue();
        assertThat(message.refCnt()).isZero();
    }

    @Test
    void theBytesOfMovedMessagesDoNotCount() {
        write(Unpooled.buffer().writeZero(channel.config().getWriteBufferHighWaterMark() + 1));
        buffer.addFlush();
        unsafe.move(buffer, 1, last);
        assertThat(other.isWritable()).isTrue();
    }

    @Test
    void releasedMessageAndLaterMessagesAreNotMoved() {
        ChannelPromise good = write();
        ByteBuf released = Unpooled.buffer(1).writeByte(1);
        ChannelPromise bad = write(released);
        ChannelPromise behind = write();
        buffer.addFlush();
        released.release();
        assertThat(unsafe.move(buffer, 3, last)).isEqualTo(1);
        buffer.remove();
        buffer.remove(new IOException());
        buffer.remove(new IOException());
        assertThat(good.isDone()).isFalse();
        assertThat(bad.cause()).isNotNull();
        assertThat(behind.cause()).isNotNull();
    }

    @Test
    void progressIsReportedBeforeAndAfterAMove() {
        List<Long> reports = new ArrayList<>();
        ChannelProgressivePromise promise = channel.newProgressivePromise();
        promise.addListener(new ChannelProgressiveFutureListener() {
            @Override
            public void operationProgressed(ChannelProgressiveFuture future, long progress, long total) {
                reports.add(progress);
                assertThat(total).isEqualTo(100);
            }

            @Override
            public void operationComplete(ChannelProgressiveFuture future) {
                reports.add(-1L);
            }
        });
        unsafe.write(Unpooled.buffer(100).writeZero(100), promise);
        buffer.addFlush();
        buffer.progress(30);
        unsafe.move(buffer, 1, last);
        last.progress(50);
        last.remove();
        assertThat(reports).containsExactly(30L, 30L, 80L, -1L);
    }

    /** The channel does not take the message, while others wait. */
    @Test
    void aRefusedMessageFailsAlone() {
        ChannelPromise before = write();
        Object strange = new Object();
        EmbeddedChannel strict = new EmbeddedChannel() {
            @Override
            protected Object filterOutboundMessage(Object message) {
                if (message == strange) {
                    throw new UnsupportedOperationException();
                }
                return message;
            }
        };
        Channel.Unsafe strictUnsafe = new PromisingUnsafe(strict, strict.unsafe());
        ChannelPromise first = strict.newPromise();
        ChannelPromise refused = strict.newPromise();
        ChannelPromise second = strict.newPromise();
        strictUnsafe.write(1, first);
        strictUnsafe.write(strange, refused);
        strictUnsafe.write(2, second);
        assertThat(refused.cause()).isInstanceOf(UnsupportedOperationException.class);
        strictUnsafe.outboundBuffer().addFlush();
        strictUnsafe.outboundBuffer().remove();
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isFalse();
        strictUnsafe.outboundBuffer().remove();
        assertThat(second.isSuccess()).isTrue();
        assertThat(before.isDone()).isFalse();
        strict.close();
    }

    /** A void promise has no result, and a failure of it would be an event of the pipeline. */
    @Test
    void aVoidPromiseIsMovedWithoutAnEvent() {
        unsafe.write(Unpooled.buffer(1).writeByte(1), channel.voidPromise());
        buffer.addFlush();
        unsafe.move(buffer, 1, last);
        channel.close();
        channel.checkException();
        assertThat(last.size()).isOne();
    }

    /** A listener writes, so that the entry of the promise that was completed is reused while Netty completes it. */
    @Test
    void aListenerMayWrite() {
        List<ChannelPromise> later = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            write().addListener(done -> later.add(write()));
        }
        buffer.addFlush();
        for (int i = 0; i < 8; i++) {
            buffer.remove();
        }
        buffer.addFlush();
        assertThat(later).hasSize(8).noneMatch(ChannelPromise::isDone);
        while (buffer.remove()) {
            continue;
        }
        assertThat(later).allMatch(ChannelPromise::isSuccess);
    }

    @Test
    void aClosedChannelFailsTheWrite() {
        channel.close();
        ChannelPromise promise = write();
        assertThat(promise.cause()).isInstanceOf(IOException.class);
    }

    /** Returns the last one's promise. */
    private ChannelPromise writeMany() {
        ChannelPromise written = null;
        for (int i = 0; i < MANY; i++) {
            written = write();
        }
        buffer.addFlush();
        while (buffer.remove()) {
            continue;
        }
        return written;
    }

    private ChannelPromise write() {
        return write(Unpooled.buffer(1).writeByte(1));
    }

    private ChannelPromise write(ByteBuf message) {
        ChannelPromise promise = channel.newPromise();
        unsafe.write(message, promise);
        return promise;
    }
}
