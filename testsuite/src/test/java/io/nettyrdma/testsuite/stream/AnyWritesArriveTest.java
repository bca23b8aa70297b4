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
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.Pattern;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Both ends write random messages with random settings. All bytes arrive in order, also those that come while the
 * application keeps what it has read. No timer runs, which would end a stall.
 */
@Tag("device")
@Tag("native-speed")
@OneProcess("both ends of a stream are looked into")
class AnyWritesArriveTest {

    private static final int ROUNDS = 10;
    private static final int MESSAGES = 60;

    @TempDir
    Path files;

    @RepeatedTest(ROUNDS)
    void inBothDirections(RepetitionInfo round) throws Exception {
        Random random = new Random(Seeds.newRandom().nextLong() + round.getCurrentRepetition());
        StreamConfig config = randomConfig(random);
        StreamConfig theirs = randomConfig(random);
        try (StreamPair pair = new StreamPair(config, theirs)) {
            Side left = new Side(random, pair.left, pair.right, theirs.receiveBuffer());
            Side right = new Side(random, pair.right, pair.left, config.receiveBuffer());
            try {
                while (left.messages < MESSAGES || right.messages < MESSAGES) {
                    left.act();
                    right.act();
                }
                pair.left.flush();
                pair.right.flush();
                pair.until("all bytes, left " + config + ", right " + theirs, () -> left.isDone() && right.isDone());
            } finally {
                left.releaseAll();
                right.releaseAll();
            }
            assertThat(left.failures).isEmpty();
            assertThat(right.failures).isEmpty();
        }
    }

    private static StreamConfig randomConfig(Random random) {
        int receiveBuffer = 64 + random.nextInt(random.nextBoolean() ? 200 : 20000);
        int window = 16 + random.nextInt(10);
        int queue = 1 + random.nextInt(random.nextBoolean() ? 5 : 60);
        int maxReceiveBuffer = receiveBuffer << 3 * random.nextInt(3);
        int maxWindow = window + random.nextInt(random.nextBoolean() ? 40 : 200);
        return new StreamConfig(receiveBuffer, maxReceiveBuffer, window, maxWindow, queue, 1 + random.nextInt(5),
                random.nextInt(3) * 32, 1 + random.nextInt(3000), 1 + random.nextInt(queue), random.nextBoolean(),
                Integer.MAX_VALUE, false);
    }

    /** The writer at one end, and the reader at the other. */
    private final class Side {

        private final Random random;
        private final StreamEnd from;
        private final RandomMessages source;
        private final Pattern expected = new Pattern();
        private final List<ByteBuf> held = new ArrayList<>();
        private final List<ChannelPromise> promises = new ArrayList<>();
        private final List<String> failures = new ArrayList<>();
        private final int keepsOneIn;
        private final boolean releases;
        private int messages;

        Side(Random random, StreamEnd from, StreamEnd to, int frame) {
            this.random = random;
            this.from = from;
            keepsOneIn = 1 + random.nextInt(4);
            releases = random.nextBoolean();
            source = new RandomMessages(random, from, files, 1 + random.nextInt(Math.min(50000, 20 * frame)));
            to.reader = this::read;
        }

        void act() throws Exception {
            switch (random.nextInt(5)) {
            case 0, 1 -> write();
            case 2 -> from.flush();
            case 3 -> from.turn();
            default -> releaseSome();
            }
        }

        /** Whether nothing is in flight. */
        boolean isDone() {
            return expected.position() == source.bytes() && promises.stream().allMatch(ChannelPromise::isSuccess);
        }

        void releaseAll() {
            held.forEach(ReferenceCountUtil::release);
            held.clear();
        }

        private void write() throws Exception {
            if (messages == MESSAGES) {
                return;
            }
            messages++;
            ReferenceCounted message = (ReferenceCounted) source.next();
            int references = message.refCnt();
            message.retain();
            int before = promises.size();
            ChannelPromise promise = from.write(message);
            promises.add(promise);
            promise.addListener(done -> {
                // Only our reference is left when the promise completes.
                if (message.refCnt() != references) {
                    failures.add(message + " when its promise completed");
                }
                if (before > 0 && !promises.get(before - 1).isDone()) {
                    failures.add(message + " before the one written before it");
                }
                message.release();
            });
            if (random.nextBoolean()) {
                from.flush();
            }
        }

        private void read(ByteBuf buffer) {
            expected.expect(buffer);
            if (random.nextInt(keepsOneIn) == 0) {
                held.add(buffer);
            } else {
                buffer.release();
            }
        }

        /** Sometimes on another thread. */
        private void releaseSome() throws Exception {
            while (releases && !held.isEmpty() && random.nextInt(4) != 0) {
                ByteBuf buffer = held.remove(random.nextInt(held.size()));
                if (random.nextBoolean()) {
                    buffer.release();
                } else {
                    CompletableFuture.runAsync(buffer::release).get();
                }
            }
        }
    }
}
