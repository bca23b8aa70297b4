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
package io.nettyrdma.metrics;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The registry of loops. There may be others in this process. */
class RdmaMetricsTest {

    private final List<String> events = new ArrayList<>();
    private final RdmaMetricsListener listener = new RdmaMetricsListener() {
        @Override
        public void started(RdmaLoopMetrics loop) {
            events.add("started " + loop.index());
        }

        @Override
        public void ended(RdmaLoopMetrics loop) {
            events.add("ended " + loop.index());
        }

        @Override
        public void deviceUsed(String device) {
            events.add("device " + device);
        }
    };

    @Test
    void endedLoopIsNotListed() {
        RdmaCounters counters = new RdmaCounters();
        RdmaLoopMetrics loop = RdmaMetrics.started(counters);
        assertThat(loop.counters()).isSameAs(counters);
        assertThat(loop.threadName()).isEqualTo(Thread.currentThread().getName());
        assertThat(RdmaMetrics.loops()).contains(loop);
        RdmaMetrics.ended(loop);
        assertThat(RdmaMetrics.loops()).doesNotContain(loop);
    }

    @Test
    void indexOfAnEndedLoopIsUsedAgain() {
        RdmaLoopMetrics first = RdmaMetrics.started(new RdmaCounters());
        RdmaLoopMetrics second = RdmaMetrics.started(new RdmaCounters());
        assertThat(second.index()).isNotEqualTo(first.index());
        RdmaMetrics.ended(first);
        RdmaLoopMetrics third = RdmaMetrics.started(new RdmaCounters());
        assertThat(third.index()).isEqualTo(first.index());
        RdmaMetrics.ended(first);
        assertThat(RdmaMetrics.loops()).as("the end of a loop ends no other").contains(third);
        RdmaMetrics.ended(second);
        RdmaMetrics.ended(third);
    }

    @Test
    void listenerSeesLiveLoopsAndThoseThatFollow() {
        RdmaLoopMetrics first = RdmaMetrics.started(new RdmaCounters());
        RdmaMetrics.addListener(listener);
        RdmaLoopMetrics second = RdmaMetrics.started(new RdmaCounters());
        RdmaMetrics.ended(first);
        RdmaMetrics.removeListener(listener);
        RdmaMetrics.ended(second);
        assertThat(events).containsSubsequence("started " + first.index(), "started " + second.index(),
                "ended " + first.index());
        assertThat(events).doesNotContain("ended " + second.index());
    }

    @Test
    void deviceIsReportedOnce() {
        String device = "device of " + RdmaMetricsTest.class.getName();
        RdmaMetrics.addListener(listener);
        ProcessMetrics.registered(device, 10);
        ProcessMetrics.registered(device, -4);
        RdmaMetrics.removeListener(listener);
        assertThat(RdmaMetrics.registeredBytes()).containsEntry(device, 6L);
        assertThat(events).containsOnlyOnce("device " + device);
        events.clear();
        RdmaMetrics.addListener(listener);
        RdmaMetrics.removeListener(listener);
        assertThat(events).contains("device " + device);
    }
}
