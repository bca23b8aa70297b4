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
import io.netty.channel.DefaultFileRegion;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The sizes of receives: small, large under load, and small again. */
@Tag("device")
@OneProcess("both ends of a stream are looked into")
class GrowingReceivesTest {

    private static final StreamConfig CONFIG = StreamConfig.DEFAULT;
    private static final int HEADER = 16;
    private static final int SMALL = StreamConfig.DEFAULT_RECEIVE_BUFFER - HEADER;
    /** Less than 64 KiB on a device with short queues. */
    private static final int LARGE = largest(StreamPair.limited(CONFIG).receiveSizes()) - HEADER;
    private static final int WINDOW = StreamConfig.DEFAULT_INITIAL_WINDOW;
    /** Of the first window: a credit batch, and twice the reserve. */
    private static final int MUST_STAY = 13;
    private static final int MIDDLE_WINDOW = 128;
    private static final int BURST = 4 << 20;
    /** Small frames after which two sizes, with their windows, have become smaller. */
    private static final int CALM = 3 * 9 * MIDDLE_WINDOW;
    /** What 16 small receives take, and a slab of each size that is kept. */
    private static final long LEAST_MEMORY = 4L * StreamEnd.SLAB_BYTES + 2L * LARGE;

    @Test
    void receivesGrowWithABurstAndShrinkAfterwards() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            for (int round = 0; round < 2; round++) {
                assertThat(send(pair, 10)).as("room of a receive before a burst").isEqualTo(SMALL);
                assertThat(send(pair, BURST)).as("during a burst").isEqualTo(LARGE);
                for (int i = 0; i < CALM; i++) {
                    send(pair, 1);
                }
                assertThat(send(pair, 10)).as("after a calm").isEqualTo(SMALL);
                assertThat(pair.right.receives.bytes()).isLessThanOrEqualTo(LEAST_MEMORY);
            }
        }
    }

    @Test
    void aLargeMessageIsOneFrame() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, BURST);
            int before = pair.right.received;
            for (int i = 0; i < 10; i++) {
                send(pair, LARGE);
            }
            assertThat(pair.right.received - before).as("frames, with some CREDIT").isLessThanOrEqualTo(20);
        }
    }

    /** Netty does not count the bytes of a region among those that wait. */
    @Test
    void fileRegionFillsItsFrames(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("file"), new byte[BURST]);
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, BURST);
            int before = pair.right.received;
            ChannelPromise sent = pair.left.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, BURST));
            pair.until("the region is sent", sent::isSuccess);
            assertThat(pair.right.received - before).as("frames, with some CREDIT")
                    .isLessThanOrEqualTo(2 * (BURST / LARGE + 1));
        }
    }

    @Test
    void aConnectionThatFallsSilentReturnsItsMemory() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            for (int round = 0; round < 3; round++) {
                send(pair, BURST);
                assertThat(pair.right.grown).as("the owner is asked to watch").isTrue();
                long busy = pair.right.receives.bytes();
                assertThat(busy).isGreaterThan(LEAST_MEMORY);
                pair.until("the memory is returned", () -> !pair.right.stream.calmDown());
                pair.right.grown = false;
                assertThat(pair.right.receives.inUse()).as("receives").isEqualTo(WINDOW);
                assertThat(pair.right.receives.bytes()).isLessThanOrEqualTo(LEAST_MEMORY);
                assertThat(send(pair, 10)).isEqualTo(SMALL);
                assertThat(pair.right.counters.get(RdmaCounter.STALLS)).isZero();
            }
        }
    }

    /** The growth is not announced yet if a receive of the size before is not, and nothing was to be sent. */
    @Test
    void aConnectionMayFallSilentAfterAnyBurst() throws Exception {
        for (int frames = 1; frames < 2 * WINDOW; frames++) {
            try (StreamPair pair = new StreamPair(CONFIG)) {
                // The left end's CREDIT uses a receive, which is posted again, and not advertised for that alone.
                while (pair.right.received == 0) {
                    pair.right.writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
                    pair.turn();
                }
                send(pair, frames * SMALL);
                pair.until("the memory is returned after a burst of " + frames + " KiB",
                        () -> !pair.right.stream.calmDown());
                assertThat(pair.right.receives.inUse()).as("receives").isEqualTo(WINDOW);
            }
        }
    }

    /** Both ends send PINGs, and each uses up receives of the other. */
    @Test
    void bothEndsMayFallSilentAtOnce() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, BURST);
            ChannelPromise back = pair.right.writeAndFlush(Unpooled.wrappedBuffer(new byte[BURST]));
            pair.until("all is sent back", back::isSuccess);
            pair.until("the memory is returned", () ->
                    !(pair.right.stream.calmDown() | pair.left.stream.calmDown()));
            assertThat(pair.right.receives.inUse()).isEqualTo(WINDOW);
            assertThat(pair.left.receives.inUse()).isEqualTo(WINDOW);
            assertThat(send(pair, 10)).isEqualTo(SMALL);
        }
    }

    @Test
    void dataThatArrivesKeepsTheMemory() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, BURST);
            for (int i = 0; i < 10; i++) {
                assertThat(pair.right.stream.calmDown()).as("is still watched").isTrue();
                send(pair, LARGE);
            }
            assertThat(send(pair, LARGE)).isEqualTo(LARGE);
        }
    }

    /** What is kept is of no use to the peer, and a larger window needs more of the others. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 4, 8, 12, 16, 24, 32 })
    void applicationThatKeepsWhatItReadsStallsNoPeer(int atOnce) throws Exception {
        for (int frame = SMALL; frame < 2 * SMALL; frame += SMALL / 8) {
            try (StreamPair pair = new StreamPair(CONFIG)) {
                List<ByteBuf> kept = new ArrayList<>();
                pair.right.reader = kept::add;
                for (int bytes = 0; bytes < BURST / 4; bytes += atOnce * frame) {
                    ChannelPromise last = null;
                    for (int i = 0; i < atOnce; i++) {
                        last = pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[frame]));
                    }
                    pair.until("frames of " + frame, last::isSuccess);
                }
                kept.forEach(ByteBuf::release);
            }
        }
    }

    /** CREDIT frames without reason use up credits, and are not answered. */
    @Test
    void peerWithoutCreditsIsCountedAsStalled() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            for (int i = 1; i <= WINDOW - CreditWindow.RESERVE; i++) {
                pair.right.stream.calmDown();
                assertThat(pair.right.counters.get(RdmaCounter.STALLS)).as("before frame %s", i).isZero();
                int expected = i;
                pair.left.stream.sendInitialCredit();
                pair.left.flush();
                pair.until("a CREDIT frame", () -> pair.right.received == expected);
            }
            pair.right.stream.calmDown();
            assertThat(pair.right.counters.get(RdmaCounter.STALLS)).isEqualTo(1);
            pair.right.writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
            assertThat(send(pair, 10)).as("the message from the right has credits").isEqualTo(SMALL);
            pair.right.stream.calmDown();
            pair.right.stream.calmDown();
            assertThat(pair.right.counters.get(RdmaCounter.STALLS)).isEqualTo(1);
        }
    }

    /** Otherwise a program that keeps a hundred short messages keeps megabytes. */
    @Test
    void shortMessagesInLargeReceivesAreCopied() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, BURST);
            List<ByteBuf> held = new ArrayList<>();
            long before = pair.right.counters.get(RdmaCounter.SMALL_READS_COPIED);
            pair.right.reader = held::add;
            int count = 50;
            for (int i = 0; i < count; i++) {
                pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { (byte) i }));
                int expected = i + 1;
                pair.until(expected + " messages", () -> held.size() == expected);
            }
            assertThat(pair.right.counters.get(RdmaCounter.SMALL_READS_COPIED)).isEqualTo(before + count);
            assertThat(pair.right.counters.get(RdmaCounter.READS_COPIED)).as("because too many are kept").isZero();
            for (int i = 0; i < count; i++) {
                assertThat(held.get(i).readableBytes()).isEqualTo(1);
                assertThat(held.get(i).getByte(0)).isEqualTo((byte) i);
                assertThat(held.get(i).capacity()).isEqualTo(SMALL);
                held.get(i).release();
            }
        }
    }

    @Test
    void buffersThatAreKeptAreReplacedUpToAWindowAndThenCopied() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            List<ByteBuf> held = keep(pair, 2 * WINDOW - MUST_STAY);
            assertThat(pair.right.counters.get(RdmaCounter.READS_COPIED)).isZero();
            held.addAll(keep(pair, MUST_STAY));
            assertThat(pair.right.counters.get(RdmaCounter.READS_COPIED)).isEqualTo(MUST_STAY);
            assertThat(pair.right.receives.inUse()).as("receives").isEqualTo(2 * WINDOW);
            held.forEach(ByteBuf::release);
            assertThat(send(pair, 10)).isEqualTo(SMALL);
            assertThat(pair.right.receives.inUse()).as("receives").isEqualTo(WINDOW);
        }
    }

    @Test
    void buffersThatAreKeptAreCopiedWithoutPlentyOfMemory() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            try (TakenMemory others = TakenMemory.half()) {
                int count = 2 * WINDOW;
                List<ByteBuf> held = keep(pair, count);
                assertThat(pair.right.counters.get(RdmaCounter.READS_COPIED)).as("copies, %s", others)
                        .isEqualTo(count - (WINDOW - MUST_STAY));
                assertThat(pair.right.receives.inUse()).as("receives").isEqualTo(WINDOW);
                held.forEach(ByteBuf::release);
            }
            assertThat(send(pair, 10)).isEqualTo(SMALL);
        }
    }

    @Test
    void buffersMayBeKeptWhileTheSizeChanges() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            List<ByteBuf> held = keep(pair, 2 * WINDOW);
            assertThat(send(pair, BURST)).isEqualTo(LARGE);
            held.addAll(keep(pair, WINDOW));
            for (int i = 0; i < CALM; i++) {
                send(pair, 1);
            }
            assertThat(send(pair, 10)).as("buffers are kept").isEqualTo(SMALL);
            held.forEach(ByteBuf::release);
            assertThat(send(pair, BURST)).isEqualTo(LARGE);
        }
    }

    /** Sends messages of 10 bytes, one by one, and returns them. */
    private static List<ByteBuf> keep(StreamPair pair, int count) throws Exception {
        List<ByteBuf> held = new ArrayList<>();
        var reader = pair.right.reader;
        pair.right.reader = held::add;
        for (int i = 1; i <= count; i++) {
            int expected = i;
            ChannelPromise promise = pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[10]));
            pair.until(i + " messages", () -> held.size() == expected && promise.isSuccess());
        }
        pair.right.reader = reader;
        return held;
    }

    @Test
    void aPeerThatTakesNoSizesGetsNone() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG, CONFIG, offer -> new ConnectData(offer.version(), 0,
                offer.buffer(), offer.granted()))) {
            assertThat(send(pair, BURST)).isEqualTo(SMALL);
            assertThat(pair.right.stream.calmDown()).as("only the window has grown").isTrue();
            assertThat(send(pair, BURST)).isEqualTo(SMALL);
        }
    }

    @Test
    void refusedGrowthIsRetriedLater() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            try (TakenMemory others = TakenMemory.half()) {
                assertThat(send(pair, 1 << 18)).as("room of a receive, %s", others).isEqualTo(SMALL);
                assertThat(pair.right.counters.get(RdmaCounter.WINDOWS_HELD_BACK)).isPositive();
            }
            assertThat(send(pair, BURST)).isEqualTo(LARGE);
        }
    }

    /** The memory that comes back may be the last that connections get. */
    @Test
    void aFullAllocatorDoesNotKeepReceivesLarge() throws Exception {
        try (StreamPair pair = new StreamPair(CONFIG)) {
            send(pair, BURST);
            try (TakenMemory others = TakenMemory.all()) {
                for (int i = 0; i < CALM; i++) {
                    send(pair, 1);
                }
                assertThat(send(pair, 10)).as("a slab of small ones was kept, %s", others).isEqualTo(SMALL);
            }
        }
    }

    private static int largest(int... sizes) {
        return sizes[sizes.length - 1];
    }

    /** Returns the room for payload of the receive that the last bytes arrived in, if they were not copied. */
    private static int send(StreamPair pair, int bytes) throws Exception {
        int[] left = { bytes };
        int[] room = { 0 };
        var reader = pair.right.reader;
        pair.right.reader = buffer -> {
            left[0] -= buffer.readableBytes();
            room[0] = Math.max(room[0], buffer.capacity());
            reader.accept(buffer);
        };
        ChannelPromise promise = pair.left.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
        pair.until(bytes + " bytes", () -> left[0] == 0 && promise.isSuccess());
        pair.right.reader = reader;
        return room[0];
    }
}
