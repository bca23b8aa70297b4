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

import io.netty.util.concurrent.ThreadAwareExecutor;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;

/** Runs tasks on the test's thread, when the test says so. */
final class TestExecutor implements ThreadAwareExecutor {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    boolean ended;

    /** Whether the test acts as a thread other than the loop's. */
    boolean elsewhere;

    @Override
    public boolean isExecutorThread(Thread thread) {
        return !elsewhere;
    }

    @Override
    public void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("ended");
        }
        tasks.add(task);
    }

    int runAll() {
        int count = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            count++;
        }
        return count;
    }
}
