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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random grants of a peer, compared with the same rules in numbers that do not wrap around. A failure reports its seed;
 * {@code -Dio.nettyrdma.test.seed} repeats it.
 */
class GrantFuzzTest {

    private static final int CONNECTIONS = 10_000;
    private static final int GRANTS = 100;
    private static final int MOST_AHEAD = 65536;

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();

    @Test
    void advertisedCreditsAreAcceptedIfTheProtocolAllowsThem() {
        int taken = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            int start = random.nextInt();
            long granted = random.nextInt(5, MOST_AHEAD + 1);
            long sent = 0;
            CreditWindow window = new CreditWindow(start + (int) granted, start);
            for (int j = 0; j < GRANTS; j++) {
                for (long frames = random.nextLong(Math.min(10, granted - sent) + 1); frames > 0; frames--) {
                    window.sent();
                    sent++;
                }
                long step = step(granted, sent);
                String what = "seed " + seed + ", start " + start + ", " + granted + " granted, " + sent + " sent, "
                        + step + " more";
                // Half of all values count as going back.
                boolean forward = step >= 0 && step <= Integer.MAX_VALUE;
                boolean allowed = forward && granted + step - sent <= MOST_AHEAD;
                try {
                    window.granted(start + (int) (granted + step), 0);
                    assertTrue(allowed, "taken: " + what);
                    granted += step;
                    taken++;
                } catch (ProtocolException e) {
                    assertTrue(!allowed && e.getMessage().startsWith(forward ? "credit leaps: " : "credit goes back: "),
                            e.getMessage() + ": " + what);
                }
                assertTrue(window.available() == granted - sent, "available " + window.available() + ": " + what);
            }
        }
        assertThat(taken).isGreaterThan(CONNECTIONS);
    }

    /** Often near a limit. */
    private long step(long granted, long sent) {
        long near = random.nextInt(-3, 4);
        return switch (random.nextInt(6)) {
        case 0 -> near;
        case 1 -> sent + MOST_AHEAD - granted + near;
        case 2 -> Integer.MAX_VALUE + near;
        case 3 -> Integer.MAX_VALUE - random.nextInt(2 * MOST_AHEAD);
        case 4 -> random.nextInt();
        default -> random.nextInt(100);
        };
    }

    private static void assertTrue(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
