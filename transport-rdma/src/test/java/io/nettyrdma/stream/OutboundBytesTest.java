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
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class OutboundBytesTest {

    @TempDir
    Path files;

    /** Only its outbound buffer is of use. */
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
    private final OutboundBytes bytes = new OutboundBytes();

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

    private void done(long count) {
        bytes.done(count);
        bytes.remove(out);
    }

    @Test
    void aPromiseIsDoneWithItsLastByte() {
        ChannelPromise first = write(buffer(10));
        ChannelPromise second = write(buffer(5));
        bytes.sent(15);
        done(9);
        assertThat(first.isDone()).isFalse();
        assertThat(bytes.unretired()).isEqualTo(6);
        assertThat(((ByteBuf) out.current()).readableBytes()).isEqualTo(1);
        done(2);
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isFalse();
        assertThat(bytes.unretired()).isEqualTo(4);
        assertThat(out.totalPendingWriteBytes()).isPositive();
        done(4);
        assertThat(second.isSuccess()).isTrue();
        assertThat(bytes.unretired()).isZero();
        assertThat(out.isEmpty()).isTrue();
    }

    @Test
    void messagesWithoutBytesGoWithThoseBeforeThem() {
        ChannelPromise empty = write(buffer(0));
        ChannelPromise full = write(buffer(3));
        ChannelPromise last = write(buffer(0));
        bytes.remove(out);
        assertThat(empty.isSuccess()).isTrue();
        assertThat(full.isDone()).isFalse();
        bytes.sent(3);
        done(3);
        assertThat(last.isSuccess()).isTrue();
        assertThat(out.isEmpty()).isTrue();
    }

    @Test
    void aFileGoesInPartsToo() throws Exception {
        File file = Files.write(files.resolve("file"), new byte[100]).toFile();
        ChannelPromise promise = write(new DefaultFileRegion(file, 10, 80));
        bytes.sent(80);
        done(30);
        assertThat(out.currentProgress()).isEqualTo(30);
        assertThat(promise.isDone()).isFalse();
        done(50);
        assertThat(promise.isSuccess()).isTrue();
        assertThat(bytes.unretired()).isZero();
    }

    @Test
    void bytesWaitWhileNotAllThatWereSentAreDone() {
        write(buffer(10));
        assertThat(bytes.isWaiting()).isFalse();
        bytes.sent(4);
        assertThat(bytes.isWaiting()).isTrue();
        bytes.done(4);
        assertThat(bytes.isWaiting()).isFalse();
    }

    /** What a listener has done within is removed by the call that called it. */
    @Test
    void aListenerMayWriteAndFinishMore() {
        List<String> order = new ArrayList<>();
        ChannelPromise[] later = new ChannelPromise[1];
        ChannelPromise first = write(buffer(10));
        first.addListener(future -> {
            order.add("first");
            later[0] = write(buffer(7));
            later[0].addListener(again -> order.add("later"));
            bytes.sent(7);
            done(7);
            // What a listener throws would only be logged.
            order.add("first returns");
        });
        ChannelPromise second = write(buffer(1));
        second.addListener(future -> order.add("second"));
        bytes.sent(11);
        done(11);
        assertThat(later[0].isSuccess()).isTrue();
        assertThat(order).containsExactly("first", "first returns", "second", "later");
        assertThat(bytes.unretired()).isZero();
    }

    @Test
    void aListenerMayCloseTheChannel() {
        ChannelPromise first = write(buffer(10));
        ChannelPromise second = write(buffer(10));
        first.addListener(future -> {
            bytes.giveUp();
            channel.close();
        });
        bytes.sent(20);
        done(20);
        assertThat(first.isSuccess()).isTrue();
        assertThat(second.isDone()).isTrue();
        assertThat(second.isSuccess()).isFalse();
    }

    @Test
    void whatIsGivenUpStays() {
        ChannelPromise promise = write(buffer(10));
        bytes.sent(10);
        bytes.done(10);
        bytes.giveUp();
        bytes.remove(out);
        assertThat(promise.isDone()).isFalse();
        bytes.remove(null);
    }
}
