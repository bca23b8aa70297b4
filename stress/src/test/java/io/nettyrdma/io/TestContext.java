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

/** Of a loop without timers. */
final class TestContext implements IoHandlerContext {

    /** There are no tasks in the queue: only the wakeup keeps the loop from sleeping. */
    static final TestContext IDLE = new TestContext(true);
    static final TestContext WITH_TASKS = new TestContext(false);

    private final boolean canBlock;

    private TestContext(boolean canBlock) {
        this.canBlock = canBlock;
    }

    @Override
    public boolean canBlock() {
        return canBlock;
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
