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
package io.nettyrdma.verbs;

import org.junit.jupiter.api.Test;

import static io.nettyrdma.verbs.QueuePairState.*;
import static org.assertj.core.api.Assertions.assertThat;

class QueuePairStateTest {

    private static final QueuePairState[] NUMBERED = { RESET, INIT, RTR, RTS, SQD, SQE, ERR };

    /** Rows are the old states, columns the new ones, both in the order of {@link #NUMBERED}. */
    private static final String[] TRANSITIONS = {
            //       RESET INIT RTR RTS SQD SQE ERR
            /* RESET */ "x   x   .   .   .   .   x",
            /* INIT  */ "x   x   x   .   .   .   x",
            /* RTR   */ "x   .   .   x   .   .   x",
            /* RTS   */ "x   .   .   x   x   .   x",
            /* SQD   */ "x   .   .   x   x   .   x",
            /* SQE   */ "x   .   .   x   .   .   x",
            /* ERR   */ "x   .   .   .   .   .   x",
    };

    @Test
    void transitionsMatchVerbs() {
        for (int from = 0; from < NUMBERED.length; from++) {
            String[] row = TRANSITIONS[from].split(" +");
            assertThat(row).hasSameSizeAs(NUMBERED);
            for (int to = 0; to < NUMBERED.length; to++) {
                assertThat(NUMBERED[from].mayBecome(NUMBERED[to])).as("%s to %s", NUMBERED[from], NUMBERED[to])
                        .isEqualTo("x".equals(row[to]));
            }
        }
    }

    @Test
    void numbersMatchVerbs() {
        assertThat(values()).containsExactly(NUMBERED);
        for (int number = 0; number < NUMBERED.length; number++) {
            assertThat(QueuePairState.of(number)).isEqualTo(NUMBERED[number]);
        }
    }

    @Test
    void sendsAreAcceptedFromReadyToSend() {
        assertThat(values()).filteredOn(QueuePairState::acceptsSends).containsExactly(RTS, SQD, SQE, ERR);
    }

    @Test
    void receivesAreAcceptedAfterReset() {
        assertThat(values()).filteredOn(QueuePairState::acceptsReceives)
                .containsExactly(INIT, RTR, RTS, SQD, SQE, ERR);
    }
}
