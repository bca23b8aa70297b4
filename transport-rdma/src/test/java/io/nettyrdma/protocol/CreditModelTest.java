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
package io.nettyrdma.protocol;

import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two ends that send and read at random, compared with counters that do not wrap around. No frame is sent without a
 * posted receive, no end waits without limit, not even one that does not read and wants to send, and when there is
 * nothing to send nothing is sent. A failure reports its seed; {@code -Dio.nettyrdma.test.seed} repeats it.
 */
class CreditModelTest {

    private static final int ROUNDS = 200;
    private static final int STEPS = 2_000;
    /** The smallest window that is offered, see {@code StreamConfig}. */
    private static final int FIRST_BYTES = 1040;
    private static final int LEAST_WINDOW = 14;

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - STEPS / 4, -STEPS / 4, -LEAST_WINDOW, -1 })
    void creditsPreventOverrunAndStall(int start) throws ProtocolException {
        for (int round = 0; round < ROUNDS; round++) {
            String what = "seed " + seed + ", start " + start + ", round " + round;
            int mostData = random.nextInt(2 * STEPS);
            End left = new End(what + ", left", random.nextBoolean() ? mostData : 0);
            End right = new End(what + ", right", random.nextBoolean() ? mostData : 0);
            left.connect(right, start);
            right.connect(left, start);
            for (int step = 0; step < STEPS; step++) {
                (random.nextBoolean() ? left : right).act();
            }
            left.reads = false;
            untilQuiet(left, right);
            left.assertSent();
            left.reads = true;
            untilQuiet(left, right);
            left.assertSent();
            right.assertSent();
        }
    }

    private static void untilQuiet(End left, End right) throws ProtocolException {
        int turns = 0;
        while (left.turn() | right.turn()) {
            assertThat(++turns).as("turns until they are quiet, %s", left.name).isLessThan(10 * STEPS);
        }
    }

    private record Frame(FrameType type, int granted, int receive, int limit) { }

    private final class End {

        private final String name;
        private final int initialWindow = LEAST_WINDOW + random.nextInt(random.nextBoolean() ? 3 : 200);
        private final Deque<Frame> wire = new ArrayDeque<>();
        private int mayKeep;
        /** The target number of receives, and the actual one: posted, held by the application, or waiting. */
        private int size = initialWindow;
        private int receives = initialWindow;
        private End peer;
        /** The sizes of the receives that no frame has used, and that of the next ones. */
        private final Deque<Integer> sizes = new ArrayDeque<>(Collections.nCopies(initialWindow, FIRST_BYTES));
        private int bytes = FIRST_BYTES;
        private CreditWindow window;
        private CreditDebt debt;
        private int dataLeft;
        private boolean pingUnanswered;
        private boolean pongWanted;

        /** The actual totals since the beginning. */
        private long posted = initialWindow;
        private long sent;
        private long received;
        /** Receives that the application holds, and those that it has returned. */
        private int held;
        private int waiting;
        private boolean controlWaits;
        private boolean reads = true;

        End(String name, int dataLeft) {
            this.name = name;
            this.dataLeft = dataLeft;
            mayKeep = mayKeep(size);
        }

        private static int mayKeep(int window) {
            return Math.max(0, window - CreditDebt.batch(window) - 2 * CreditWindow.RESERVE);
        }

        void connect(End other, int start) {
            peer = other;
            debt = new CreditDebt(start + initialWindow, start);
            debt.announce();
            debt.posted(0, bytes);
            window = new CreditWindow(start + other.initialWindow, start);
            window.begin(start + other.initialWindow, FIRST_BYTES);
        }

        void act() throws ProtocolException {
            switch (random.nextInt(8)) {
            case 0, 1 -> sendData(1 + random.nextInt(5));
            case 2 -> receive(random.nextInt(20));
            case 3 -> release(random.nextInt(10));
            case 4, 5 -> answer();
            case 6 -> ping();
            default -> resize();
            }
        }

        /** Does everything that the protocol allows. The application keeps as many buffers as it may. */
        boolean turn() throws ProtocolException {
            long before = sent + received;
            receive(Integer.MAX_VALUE);
            release(reads ? held - mayKeep : 0);
            sendData(Integer.MAX_VALUE);
            answer();
            return sent + received > before;
        }

        void assertSent() {
            assertThat(dataLeft).as("frames of data that wait without limit, %s", name).isZero();
            assertThat(pingUnanswered).as("%s was not answered", name).isFalse();
            assertThat(peer.received).as("frames that have come from %s", name).isEqualTo(sent);
        }

        private void sendData(int most) {
            for (int i = 0; i < most && dataLeft > 0 && window.maySendData(); i++) {
                dataLeft--;
                send(FrameType.DATA);
            }
        }

        private void answer() {
            if (pongWanted) {
                pongWanted = false;
                assertThat(window.maySendControl()).as("the reserve of %s", name).isTrue();
                send(FrameType.PONG);
            }
            if (debt.isDue()) {
                assertThat(window.maySendControl()).as("the reserve of %s", name).isTrue();
                send(FrameType.CREDIT);
            }
        }

        private void ping() {
            if (!pingUnanswered && window.maySendControl()) {
                pingUnanswered = true;
                send(FrameType.PING);
            }
        }

        private void send(FrameType type) {
            peer.wire.add(new Frame(type, debt.toAdvertise(), debt.toAnnounce(), window.limit()));
            debt.advertised(type);
            window.sent();
            sent++;
            assertThat(sent).as("frames of %s, for which receives are posted", name).isLessThanOrEqualTo(peer.posted);
        }

        private void receive(int most) throws ProtocolException {
            for (int i = 0; i < most && !wire.isEmpty(); i++) {
                Frame frame = wire.remove();
                received++;
                debt.received(frame.type);
                window.granted(frame.granted, frame.receive);
                assertThat(frame.limit).as("the longest frame of %s", peer.name).isPositive()
                        .isLessThanOrEqualTo(sizes.remove());
                switch (frame.type) {
                case DATA -> held++;
                case PING -> pongWanted = true;
                case PONG -> pingUnanswered = false;
                default -> { }
                }
                if (frame.type != FrameType.DATA) {
                    waiting++;
                    controlWaits = true;
                }
            }
            postIfWorth();
            // More would be an overrun that the peer's window has permitted, less a grant that was forgotten.
            assertThat(debt.outstanding()).as("advertised and not used, of %s", peer.name)
                    .isEqualTo((int) (posted - debt.unadvertised() - received));
        }

        private void release(int most) {
            int count = Math.max(0, Math.min(most, held));
            held -= count;
            waiting += count;
            postIfWorth();
        }

        private void postIfWorth() {
            int dropped = Math.min(waiting, Math.max(0, (int) (posted - received) + waiting - size));
            receives -= dropped;
            waiting -= dropped;
            debt.dropped(dropped);
            if (controlWaits || debt.isDueWith(waiting)) {
                post(waiting);
                waiting = 0;
                controlWaits = false;
            }
        }

        private void resize() {
            if (random.nextInt(50) == 0) {
                int least = held <= mayKeep(LEAST_WINDOW) ? LEAST_WINDOW : size;
                size = random.nextBoolean() ? size + 10 : Math.max(least, size / 2);
                mayKeep = mayKeep(size);
                debt.resized(size);
                int more = Math.max(0, size - receives);
                receives += more;
                post(more);
            }
        }

        private void post(int count) {
            if (debt.mayChangeSize() && random.nextInt(4) == 0) {
                bytes = 64 << random.nextInt(11);
            }
            posted += count;
            debt.posted(count, bytes);
            sizes.addAll(Collections.nCopies(count, bytes));
        }
    }
}
