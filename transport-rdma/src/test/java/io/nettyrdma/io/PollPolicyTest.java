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
package io.nettyrdma.io;

import org.junit.jupiter.api.Test;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class PollPolicyTest {

    private static final long SPIN = 50_000;
    private static final long SELECT = 100_000;
    private static final int POLLS = 16;

    private long now = Long.MAX_VALUE - 10_000;

    private PollPolicy policy(PollMode mode) {
        return new PollPolicy(RdmaIoHandlerConfig.DEFAULT.withMode(mode).withSpin(Duration.ofNanos(SPIN))
                .withSelect(POLLS, Duration.ofNanos(SELECT)), () -> now);
    }

    @Test
    void anAdaptiveLoopSpinsForItsBudgetOnceItIsIdle() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        assertThat(policy.maySpin()).isTrue();
        now += SPIN - 1;
        assertThat(policy.maySpin()).isTrue();
        now += 1;
        assertThat(policy.maySpin()).isFalse();
        now += 1_000_000;
        assertThat(policy.maySpin()).isFalse();
    }

    /** The budget counts from the first look at the clock after the work, not from the work. */
    @Test
    void workMakesItSpinAnew() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        policy.maySpin();
        now += SPIN;
        policy.worked();
        now += 1_000_000;
        assertThat(policy.maySpin()).isTrue();
        now += SPIN;
        assertThat(policy.maySpin()).isFalse();
    }

    @Test
    void aBusyLoopSpinsForEver() {
        PollPolicy policy = policy(PollMode.BUSY);
        for (int i = 0; i < 1000; i++) {
            now += SPIN;
            assertThat(policy.maySpin()).isTrue();
        }
    }

    @Test
    void anEventLoopNeverSpins() {
        PollPolicy policy = policy(PollMode.EVENT);
        policy.worked();
        assertThat(policy.maySpin()).isFalse();
    }

    /** For whom there was work says how long it is worth to wait for more; being woken says nothing. */
    @Test
    void workBringsItsOwnBudget() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        policy.worked(2 * SPIN);
        policy.maySpin();
        now += 2 * SPIN - 1;
        assertThat(policy.maySpin()).isTrue();
        now += 1;
        assertThat(policy.maySpin()).isFalse();
        policy.worked(0);
        assertThat(policy.maySpin()).isFalse();
        policy.worked();
        assertThat(policy.maySpin()).isTrue();
    }

    @Test
    void withoutBudgetItDoesNotSpin() {
        PollPolicy policy = new PollPolicy(RdmaIoHandlerConfig.DEFAULT.withSpin(Duration.ZERO), () -> now);
        policy.worked();
        assertThat(policy.maySpin()).isFalse();
    }

    @Test
    void selectIsDueAfterSoManyPolls() {
        PollPolicy policy = policy(PollMode.BUSY);
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i < POLLS; i++) {
                assertThat(policy.isSelectDue()).as("poll %d", i).isFalse();
            }
            assertThat(policy.isSelectDue()).isTrue();
            policy.selected();
        }
    }

    /** Polls that find much take long: the clock is looked at now and then. */
    @Test
    void selectIsDueAfterSomeTimeThoughThereWereFewPolls() {
        PollPolicy policy = policy(PollMode.BUSY);
        now += SELECT;
        int polls = 1;
        while (!policy.isSelectDue()) {
            polls++;
        }
        assertThat(polls).isLessThanOrEqualTo(4);
        policy.selected();
        now += SELECT - 1;
        for (int i = 0; i < 4; i++) {
            assertThat(policy.isSelectDue()).isFalse();
        }
        now += 1;
        polls = 1;
        while (!policy.isSelectDue()) {
            polls++;
        }
        assertThat(polls).isLessThanOrEqualTo(4);
    }

    /** Until somebody selects: other things may come first. */
    @Test
    void selectStaysDue() {
        PollPolicy policy = policy(PollMode.ADAPTIVE);
        for (int i = 0; i < POLLS; i++) {
            policy.isSelectDue();
        }
        assertThat(policy.isSelectDue()).isTrue();
    }
}
