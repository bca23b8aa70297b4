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
package io.nettyrdma.memory;

import io.netty.util.concurrent.ThreadAwareExecutor;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes and rejects tasks as a loop of Netty does, and runs them when the test says so. */
final class TestLoop implements ThreadAwareExecutor {

    /** Without a stack, which would take so long that no race is seen. */
    private static final RejectedExecutionException REJECTED = new Rejected();

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger submitted = new AtomicInteger();
    private volatile Thread thread;
    private volatile boolean ended;

    /** From now on the calling thread is the loop's. */
    void begin() {
        thread = Thread.currentThread();
    }

    @Override
    public boolean isExecutorThread(Thread other) {
        return thread == other;
    }

    /** Checks for the end after the task is in the queue, as Netty does: the last tasks may have been taken before. */
    @Override
    public void execute(Runnable task) {
        submitted.incrementAndGet();
        tasks.add(task);
        if (ended && tasks.remove(task)) {
            throw REJECTED;
        }
    }

    /** Runs the tasks that are in the queue. On the loop, or after the actors. */
    void runAll() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Takes no more tasks, and runs the last ones. */
    void end() {
        ended = true;
        runAll();
    }

    /** How many tasks threads submitted. */
    int submitted() {
        return submitted.get();
    }

    private static final class Rejected extends RejectedExecutionException {

        private static final long serialVersionUID = 1;

        Rejected() {
            super("the loop has ended");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
