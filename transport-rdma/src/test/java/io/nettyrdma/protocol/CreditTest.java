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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Examples of credit arithmetic, at the beginning and where the counters wrap around. */
class CreditTest {

    private static final int GRANTED = 16;
    private static final int BYTES = 1040;
    private static final int LARGER = 8208;

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 7, -8, -GRANTED })
    void dataNeverUsesTheReserve(int start) {
        CreditWindow window = new CreditWindow(start + GRANTED, start);
        for (int left = GRANTED; left > 0; left--) {
            assertThat(window.available()).isEqualTo(left);
            assertThat(window.maySendData()).as("%d left", left).isEqualTo(left > 4);
            assertThat(window.maySendControl()).isTrue();
            window.sent();
        }
        assertThat(window.available()).isZero();
        assertThat(window.maySendControl()).isFalse();
        assertThat(window.maySendData()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 17, -17, -GRANTED })
    void decreasingAdvertisedCreditsAreAViolation(int start) throws ProtocolException {
        CreditWindow window = new CreditWindow(start + GRANTED, start);
        window.granted(start + GRANTED, 0);
        assertThat(window.available()).isEqualTo(GRANTED);
        window.granted(start + GRANTED + 3, 0);
        assertThat(window.available()).isEqualTo(GRANTED + 3);
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> window.granted(start + GRANTED + 2, 0))
                .withMessage("credit goes back: " + Integer.toUnsignedString(start + 18) + " granted, it was "
                        + Integer.toUnsignedString(start + 19));
        assertThat(window.available()).as("unchanged").isEqualTo(GRANTED + 3);
        assertThatExceptionOfType(ProtocolException.class)
                .isThrownBy(() -> window.granted(start + GRANTED + 3 + Integer.MIN_VALUE, 0))
                .withMessageStartingWith("credit goes back: ");
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 17, -17, -(1 << 16) })
    void advertisedCreditsTooFarAheadAreAViolation(int start) throws ProtocolException {
        CreditWindow window = new CreditWindow(start + GRANTED, start);
        window.granted(start + (1 << 16), 0);
        assertThat(window.available()).isEqualTo(1 << 16);
        window.sent();
        window.granted(start + 1 + (1 << 16), 0);
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> window.granted(start + 2 + (1 << 16), 0))
                .withMessage("credit leaps: " + Integer.toUnsignedString(start + 2 + (1 << 16)) + " granted, "
                        + Integer.toUnsignedString(start + 1) + " sent");
        for (int far : new int[] { Integer.MAX_VALUE, window.available() + Integer.MAX_VALUE }) {
            assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> window.granted(start + 1 + far, 0))
                    .withMessageStartingWith("credit leaps: ");
        }
        assertThat(window.available()).as("unchanged").isEqualTo(1 << 16);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 7, -8, -GRANTED, 1 - GRANTED })
    void oneFrameTooManyIsAnOverrun(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        for (int left = GRANTED; left > 0; left--) {
            assertThat(debt.outstanding()).isEqualTo(left);
            debt.received(FrameType.DATA);
        }
        // Posting a receive is not enough, because the peer does not know of it.
        debt.posted(1, BYTES);
        assertThatExceptionOfType(ProtocolException.class).isThrownBy(() -> debt.received(FrameType.FIN))
                .withMessage("credit overrun: " + Integer.toUnsignedString(start + GRANTED + 1) + " frames came, "
                        + Integer.toUnsignedString(start + GRANTED) + " were granted");
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 20, -20, -GRANTED })
    void advertisedCreditsMayBeUsed(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        for (int i = 0; i < 3 * GRANTED; i++) {
            debt.received(FrameType.DATA);
            debt.posted(1, BYTES);
            assertThat(debt.unadvertised()).isEqualTo(1);
            assertThat(debt.toAdvertise()).isEqualTo(start + GRANTED + i + 1);
            debt.advertised(FrameType.CREDIT);
            assertThat(debt.unadvertised()).isZero();
            assertThat(debt.outstanding()).isEqualTo(GRANTED);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -20 })
    void halfOfTheDataCreditsCauseACreditFrame(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        for (int owed = 1; owed <= 7; owed++) {
            debt.received(FrameType.DATA);
            assertThat(debt.isDueWith(1)).isEqualTo(owed >= 6);
            debt.posted(1, BYTES);
            assertThat(debt.isDue()).as("%d owed", owed).isEqualTo(owed == 7);
        }
        debt.advertised(FrameType.CREDIT);
        assertThat(debt.isDue()).isFalse();
    }

    /** The next DATA frame can carry the credits: the peer sends more frames before it is stopped, or needs none. */
    @ParameterizedTest
    @ValueSource(ints = { 0, -20 })
    void aPeerWithHalfOfItsCreditsIsWorthNoFrame(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        debt.posted(GRANTED, BYTES);
        for (int left = GRANTED; left >= CreditWindow.RESERVE + CreditDebt.batch(GRANTED); left--) {
            assertThat(debt.isLow()).as("%d left", left).isFalse();
            assertThat(debt.isDue()).as("%d left", left).isFalse();
            debt.received(FrameType.DATA);
        }
        assertThat(debt.isLow()).isTrue();
        assertThat(debt.isDue()).isTrue();
    }

    /** Otherwise each answer of another thread would follow a CREDIT frame. */
    @ParameterizedTest
    @ValueSource(ints = { 5, 6, 8, GRANTED, 128 })
    void aPeerThatIsAnsweredMayUseMoreCredits(int window) throws ProtocolException {
        int batch = CreditDebt.batch(window);
        CreditDebt debt = new CreditDebt(window, 0);
        debt.posted(batch, BYTES);
        debt.advertised(FrameType.DATA);
        debt.posted(batch, BYTES);
        while (debt.outstanding() > CreditWindow.RESERVE + Math.max(1, batch / 2)) {
            debt.received(FrameType.DATA);
            assertThat(debt.isDue()).as("%d left", debt.outstanding())
                    .isEqualTo(debt.outstanding() < CreditWindow.RESERVE + Math.max(1, batch / 2));
        }
        debt.received(FrameType.DATA);
        assertThat(debt.isDue()).as("%d left", debt.outstanding()).isTrue();
        debt.advertised(FrameType.CREDIT);
        debt.posted(batch, BYTES);
        while (!debt.isDue()) {
            debt.received(FrameType.DATA);
        }
        assertThat(debt.outstanding()).as("left, without answers").isEqualTo(CreditWindow.RESERVE + batch - 1);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -20 })
    void controlFramesCauseNoCreditFrame(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        for (FrameType type : FrameType.values()) {
            if (type != FrameType.DATA) {
                for (int i = 0; i < 2; i++) {
                    debt.received(type);
                    debt.posted(1, BYTES);
                }
            }
        }
        assertThat(debt.isDue()).isFalse();
        for (int owed = 1; owed <= 6; owed++) {
            debt.received(FrameType.DATA);
            debt.posted(1, BYTES);
            assertThat(debt.isDue()).as("%d owed", owed).isEqualTo(owed == 6);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 5, 6, 7, 8, 16, 17, 1 << 16 })
    void creditBatchIsHalfOfTheDataCreditsAndAtLeastOne(int window) {
        assertThat(CreditDebt.batch(window)).isEqualTo(window < 8 ? 1 : (window - 4) / 2);
    }

    /** A peer with a larger window may owe more before it advertises. */
    @ParameterizedTest
    @ValueSource(ints = { 0, -20 })
    void grownWindowIsAdvertisedInLargerCreditBatches(int start) {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        debt.resized(2 * GRANTED);
        debt.posted(GRANTED, BYTES);
        debt.advertised(FrameType.CREDIT);
        debt.posted(CreditDebt.batch(2 * GRANTED) - 1, BYTES);
        assertThat(debt.isDue()).isFalse();
    }

    /** A peer with a smaller window could never owe as much as before. */
    @ParameterizedTest
    @ValueSource(ints = { 0, -20 })
    void shrunkWindowIsAdvertisedInSmallerCreditBatches(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        debt.resized(GRANTED / 2);
        for (int left = GRANTED; left > CreditWindow.RESERVE; left--) {
            debt.received(FrameType.DATA);
        }
        debt.posted(CreditDebt.batch(GRANTED / 2) - 1, BYTES);
        assertThat(debt.isDue()).isFalse();
        debt.posted(1, BYTES);
        assertThat(debt.isDue()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -20 })
    void droppedControlReceivesDoNotDelayACredit(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        debt.resized(GRANTED - 2);
        debt.received(FrameType.PING);
        debt.received(FrameType.PONG);
        debt.dropped(2);
        debt.dropped(1);
        debt.posted(CreditDebt.batch(GRANTED - 2), BYTES);
        assertThat(debt.isDueWith(0)).isTrue();
    }

    /** CREDIT frames use up receives, and a sender of immediates has no header to advertise new ones. */
    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 17, -17, -GRANTED })
    void immediatesCauseCreditsForControlFrames(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        for (int i = 0; i < 2; i++) {
            debt.received(FrameType.CREDIT);
            debt.posted(1, BYTES);
        }
        assertThat(debt.isDue()).as("a CREDIT for each CREDIT would never end").isFalse();
        debt.sentImmediate();
        assertThat(debt.isDue()).isTrue();
        debt.advertised(FrameType.CREDIT);
        debt.received(FrameType.CREDIT);
        debt.posted(1, BYTES);
        debt.sentImmediate();
        assertThat(debt.isDue()).as("one alone waits").isFalse();
    }

    /** A header says one size, so receives of two sizes take two of them. */
    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 20, -20, -GRANTED })
    void receivesOfTwoSizesAreAdvertisedOneAfterTheOther(int start) throws ProtocolException {
        CreditDebt debt = new CreditDebt(start + GRANTED, start);
        debt.announce();
        debt.posted(2, BYTES);
        assertThat(debt.mayChangeSize()).isTrue();
        debt.posted(3, LARGER);
        debt.posted(4, LARGER);
        assertThat(debt.mayChangeSize()).as("before the first are advertised").isFalse();
        assertThatIllegalStateException().isThrownBy(() -> debt.posted(1, BYTES));
        assertThat(debt.toAdvertise()).isEqualTo(start + GRANTED + 2);
        assertThat(debt.toAnnounce()).isEqualTo(BYTES);
        debt.advertised(FrameType.CREDIT);
        assertThat(debt.mayChangeSize()).isTrue();
        assertThat(debt.unadvertised()).isEqualTo(7);
        assertThat(debt.toAdvertise()).isEqualTo(start + GRANTED + 9);
        assertThat(debt.toAnnounce()).isEqualTo(LARGER);
        debt.advertised(FrameType.CREDIT);
        debt.posted(1, BYTES);
        assertThat(debt.toAnnounce()).as("nothing of the size before waits").isEqualTo(BYTES);
        assertThat(debt.toAdvertise()).isEqualTo(start + GRANTED + 10);
    }

    @Test
    void aPeerThatTakesNoSizesGetsNone() {
        CreditDebt debt = new CreditDebt(GRANTED, 0);
        debt.posted(2, BYTES);
        assertThat(debt.toAnnounce()).isZero();
        assertThat(debt.mayChangeSize()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, Integer.MAX_VALUE - 20, -20, -GRANTED })
    void theLimitIsTheSizeOfTheNextReceive(int start) throws ProtocolException {
        CreditWindow window = new CreditWindow(start + GRANTED, start);
        window.begin(start + GRANTED, BYTES);
        window.granted(start + GRANTED, LARGER);
        assertThat(window.limit()).as("a size without a new receive").isEqualTo(BYTES);
        window.granted(start + GRANTED + 2, LARGER);
        window.granted(start + GRANTED + 3, 0);
        window.granted(start + GRANTED + 4, 64);
        for (int i = 0; i < GRANTED; i++) {
            assertThat(window.limit()).as("of frame %d", i).isEqualTo(BYTES);
            window.sent();
        }
        for (int i = 0; i < 3; i++) {
            assertThat(window.limit()).as("of frame %d behind", i).isEqualTo(LARGER);
            window.sent();
        }
        assertThat(window.limit()).isEqualTo(64);
    }
}
