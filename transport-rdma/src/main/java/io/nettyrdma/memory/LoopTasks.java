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

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Brings the transport's own tasks to a loop, also if the loop rejects them at first. A loop rejects for two reasons:
 *
 * <pre>
 *   it has ended                                             the task is not run
 *   io.netty.eventLoop.maxPendingTasks tasks are waiting     Netty's thread for such things asks again
 * </pre>
 */
public final class LoopTasks {

    /** About as long as a loop takes for the tasks that it has. */
    private static final int RETRY_MILLIS = 1;

    private LoopTasks() {
    }

    /**
     * Runs a task on the loop. Any thread.
     *
     * @return whether it will run, unless the loop ends before; {@code false} for a loop that has ended.
     */
    public static boolean execute(ThreadAwareExecutor loop, Runnable task) {
        return execute(loop, task, () -> { });
    }

    /**
     * Runs a task on the loop after some time. The loop's thread.
     *
     * @return whether it will run, unless the loop ends before; {@code false} for an executor that has no clock.
     */
    static boolean schedule(ThreadAwareExecutor loop, Runnable task, int millis) {
        if (!(loop instanceof EventExecutor executor)) {
            return false;
        }
        try {
            executor.schedule(task, millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** @param ifEnded runs instead of the task for a loop that has ended, on this thread or on another. */
    static boolean execute(ThreadAwareExecutor loop, Runnable task, Runnable ifEnded) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            if (loop instanceof EventExecutor executor && !executor.isShutdown()) {
                GlobalEventExecutor.INSTANCE.schedule(() -> execute(loop, task, ifEnded), RETRY_MILLIS,
                        TimeUnit.MILLISECONDS);
                return true;
            }
            ifEnded.run();
            return false;
        }
    }
}
