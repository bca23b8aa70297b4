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

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.nettyrdma.metrics.RdmaCounters;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order of poll, arm and sleep, with a completion at any point between them. No device can be made to complete
 * exactly there.
 */
class LoopWaiterTest {

    private static final int STEPS = 4;

    private final List<String> steps = new ArrayList<>();
    /** The completion comes before the step with this number. */
    private int comesBefore;
    private boolean isQueued;
    private boolean isArmed;
    private boolean hasEvent;

    private final Completions completions = new Completions() {
        @Override
        public int poll(LoopContext context) {
            step("poll");
            int handled = isQueued ? 1 : 0;
            isQueued = false;
            return handled;
        }

        @Override
        public boolean arm() {
            step("arm");
            isArmed = true;
            return true;
        }

        @Override
        public long spinNanos() {
            return 0;
        }
    };

    private final IoHandler epoll = new IoHandler() {
        @Override
        public int run(IoHandlerContext context) {
            step("sleep");
            assertThat(isQueued && !hasEvent && context.canBlock()).as("sleeps over a completion").isFalse();
            return 0;
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new AssertionError("nothing is registered");
        }

        @Override
        public void wakeup() {
            throw new AssertionError("the loop is not woken");
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return false;
        }
    };

    @Test
    void completionAtAnyStepIsHandled() {
        for (comesBefore = 1; comesBefore <= STEPS; comesBefore++) {
            steps.clear();
            isQueued = false;
            isArmed = false;
            hasEvent = false;
            LoopContext context = new LoopContext();
            context.begin(new Idle(), true);
            PollPolicy policy = new PollPolicy(RdmaIoHandlerConfig.DEFAULT, new PollingLoops(1), () -> 0,
                    new RdmaCounters());
            int handled = new LoopWaiter(epoll, completions, policy).await(context, false);
            assertThat(handled).as("handled in %s", steps).isEqualTo(1);
        }
        assertThat(steps).containsExactly("arm", "poll", "sleep", "poll");
    }

    private void step(String name) {
        steps.add(name);
        if (steps.size() == comesBefore) {
            isQueued = true;
            hasEvent = isArmed;
        }
    }

    /** Of a loop without tasks. */
    private static final class Idle implements IoHandlerContext {

        @Override
        public boolean canBlock() {
            return true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return Long.MAX_VALUE;
        }

        @Override
        public long deadlineNanos() {
            return Long.MAX_VALUE;
        }
    }
}
