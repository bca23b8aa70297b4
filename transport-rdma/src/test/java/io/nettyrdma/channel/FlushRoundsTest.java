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

import io.netty.channel.ChannelPromise;
import io.netty.channel.WriteBufferWaterMark;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Flushes that are requested within a flush, or within a batch of completions. */
class FlushRoundsTest extends ChannelSetup {

    private static final int SPINS = 3;

    @Test
    void messageOfAListenerIsSentByTheSameFlush() {
        TestLink link = open();
        link.copies = true;
        List<ChannelPromise> later = new ArrayList<>();
        write("a").addListener(future -> later.add(send("b")));
        channel.flush();
        assertThat(link.sent).containsExactly("a", "b");
        assertThat(later).singleElement().matches(ChannelPromise::isSuccess);
    }

    @Test
    void messageOfAListenerKeepsItsOrder() {
        TestLink link = open();
        link.copies = true;
        write("a").addListener(future -> send("c"));
        write("b");
        channel.flush();
        assertThat(link.sent).containsExactly("a", "b", "c");
    }

    @Test
    void unflushedMessageOfAListenerWaits() {
        TestLink link = open();
        link.copies = true;
        write("a").addListener(future -> write("b"));
        channel.flush();
        assertThat(link.sent).containsExactly("a");
        channel.flush();
        assertThat(link.sent).containsExactly("a", "b");
    }

    @Test
    void messageThatFollowsWritabilityIsSentByTheSameFlush() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        TestLink link = open();
        link.copies = true;
        recorder.at("writable", () -> send("more"));
        write("abc");
        channel.flush();
        turn();
        assertThat(recorder.events).startsWith("active", "unwritable", "writable");
        assertThat(link.sent).containsExactly("abc", "more");
    }

    @Test
    void endlessFlushesLeaveTurnsToOthers() {
        channel.config().setWriteSpinCount(SPINS);
        TestLink link = open();
        link.copies = true;
        loop.execute(() -> {
            loop.execute(() -> link.sent.add("another task"));
            again(2 * SPINS);
        });
        turn();
        assertThat(link.sent).hasSize(2 * SPINS + 1);
        assertThat(link.sent.indexOf("another task")).isEqualTo(SPINS);
    }

    private void again(int times) {
        if (times > 0) {
            write("a").addListener(future -> again(times - 1));
            channel.flush();
        }
    }

    @Test
    void flushOfNothingSendsNothing() {
        TestLink link = open();
        channel.flush();
        assertThat(link.sent).isEmpty();
    }

    @Test
    void messageWithoutRoomIsSentWhenThereIsSome() {
        TestLink link = open();
        link.room = 0;
        ChannelPromise written = send("a");
        assertThat(link.sent).isEmpty();
        link.room = 1;
        link.batch();
        assertThat(link.sent).containsExactly("a");
        assertThat(written.isDone()).isFalse();
        link.acknowledge();
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void messagesOfHandlersAreSentByOneFlush() {
        TestLink link = open();
        recorder.at("read first", () -> send("answer"));
        recorder.at("read second", () -> send("another"));
        int before = link.flushes;
        link.receive("first", "second");
        assertThat(link.sent).containsExactly("answer", "another");
        assertThat(link.flushes - before).isEqualTo(1);
    }

    @Test
    void messagesOfListenersAreSentByOneFlush() {
        TestLink link = open();
        for (String text : new String[] { "a", "b", "c" }) {
            send(text).addListener(future -> send("after " + text));
        }
        int before = link.flushes;
        link.acknowledge();
        assertThat(link.sent).containsExactly("a", "b", "c", "after a", "after b", "after c");
        assertThat(link.flushes - before).isEqualTo(1);
    }

    @Test
    void messageThatFollowsWritabilityIsSentAtTheEndOfTheBatch() {
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 2));
        TestLink link = open();
        recorder.at("writable", () -> {
            send("more");
            assertThat(link.sent).containsExactly("abc");
        });
        send("abc");
        link.acknowledge();
        assertThat(link.sent).containsExactly("abc", "more");
    }

    @Test
    void messageBeforeACloseInABatchIsDoneBeforeTheClose() {
        TestLink link = open();
        link.copies = true;
        List<String> order = new ArrayList<>();
        recorder.at("read question", () -> {
            send("answer").addListener(future -> order.add("answer " + future.isSuccess()));
            channel.close().addListener(future -> order.add("closed"));
        });
        link.receive("question");
        turn();
        assertThat(order).containsExactly("answer true", "closed");
        assertThat(link.sent).containsExactly("answer", TestLink.FIN);
    }

    @Test
    void messageForAPeerThatHasLeftFailsInTheBatch() {
        TestLink link = open();
        List<Boolean> done = new ArrayList<>();
        recorder.at("read question", () -> {
            link.fail(new IOException("gone"));
            done.add(send("answer").isDone());
        });
        link.receive("question");
        assertThat(done).containsExactly(true);
    }
}
