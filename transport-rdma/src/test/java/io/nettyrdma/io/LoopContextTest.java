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

import io.netty.channel.IoHandlerContext;
import org.junit.jupiter.api.Test;

import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class LoopContextTest {

    private boolean tasks;
    private long reported;

    private final IoHandlerContext netty = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return !tasks;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return currentTimeNanos + 1;
        }

        @Override
        public long deadlineNanos() {
            return 7;
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            reported += activeNanos;
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return true;
        }
    };

    private final LoopContext context = new LoopContext();

    @Test
    void contextReportsTheStateOfTheEventLoop() {
        context.begin(netty, true);
        assertThat(context.canBlock()).isTrue();
        assertThat(context.delayNanos(1)).isEqualTo(2);
        assertThat(context.deadlineNanos()).isEqualTo(7);
        assertThat(context.shouldReportActiveIoTime()).isTrue();
        context.reportActiveIoTime(5);
        assertThat(reported).isEqualTo(5);
        tasks = true;
        assertThat(context.canBlock()).isFalse();
    }

    /** Epoll's handler asks for each part of its work. */
    @Test
    void listenerOfAWaitIsCalledOnce() {
        AtomicInteger calls = new AtomicInteger();
        context.begin(netty, true);
        context.afterWait(calls::incrementAndGet);
        assertThat(context.shouldReportActiveIoTime()).isTrue();
        assertThat(context.shouldReportActiveIoTime()).isTrue();
        assertThat(calls).hasValue(1);
    }

    /** Epoll's handler sets its timer again only if the deadline differs. */
    @Test
    void limitedWaitHasTheEarlierDeadline() {
        context.begin(netty, true);
        context.mayBlockAtMost(5);
        assertThat(context.delayNanos(1)).isEqualTo(2);
        assertThat(context.delayNanos(100)).isEqualTo(5);
        long first = context.deadlineNanos();
        assertThat(first).isNotEqualTo(7);
        assertThat(context.deadlineNanos()).isGreaterThanOrEqualTo(first);
        context.begin(netty, true);
        assertThat(context.delayNanos(100)).isEqualTo(101);
        assertThat(context.deadlineNanos()).isEqualTo(7);
    }

    @Test
    void roundMayNotBlockWhenForbidden() {
        context.begin(netty, false);
        assertThat(context.canBlock()).isFalse();
        context.begin(netty, true);
        context.mayNotBlock();
        assertThat(context.canBlock()).isFalse();
        context.begin(netty, true);
        assertThat(context.canBlock()).isTrue();
    }

    @Test
    void wakeupPreventsBlockingInThisRound() {
        context.begin(netty, true);
        context.wakeUp();
        assertThat(context.canBlock()).isFalse();
        context.end();
        context.begin(netty, true);
        assertThat(context.canBlock()).isTrue();
    }

    /** Between two rounds the event loop checks its state, perhaps before the wakeup and perhaps after it. */
    @Test
    void wakeupBetweenRoundsPreventsBlockingInTheNextRound() {
        context.begin(netty, true);
        context.end();
        context.wakeUp();
        context.begin(netty, true);
        assertThat(context.canBlock()).isFalse();
    }
}
