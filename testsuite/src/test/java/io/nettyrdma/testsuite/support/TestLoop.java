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
package io.nettyrdma.testsuite.support;

import io.netty.util.concurrent.ThreadAwareExecutor;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;

/** An event loop on the test's thread: tasks wait until the test runs them. */
public final class TestLoop implements ThreadAwareExecutor {

    private final Thread thread = Thread.currentThread();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private boolean ended;

    @Override
    public boolean isExecutorThread(Thread asked) {
        return asked == thread;
    }

    @Override
    public synchronized void execute(Runnable task) {
        if (ended) {
            throw new RejectedExecutionException("the loop has ended");
        }
        tasks.add(task);
    }

    /** Rejects further tasks, then runs the queued ones. */
    public void end() {
        synchronized (this) {
            ended = true;
        }
        while (run()) {
            // A task may have queued another one.
        }
    }

    /** Runs the tasks that were queued at the time of the call. Returns whether there were any. */
    public boolean run() {
        int count = tasks.size();
        for (int i = 0; i < count; i++) {
            tasks.remove().run();
        }
        return count > 0;
    }
}
