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
package io.nettyrdma.buffer;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;

import java.util.concurrent.TimeUnit;

/** The kinds of threads that an allocator distinguishes. */
enum ThreadKind {

    EVENT_LOOP {
        @Override
        Thread start(Runnable task) {
            Thread[] thread = new Thread[1];
            DefaultEventExecutor loop = new DefaultEventExecutor(body -> {
                thread[0] = new FastThreadLocalThread(body);
                return thread[0];
            });
            loop.execute(() -> {
                loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
                task.run();
            });
            return thread[0];
        }
    },

    /** Removes its thread-locals at its end, but runs no tasks. */
    FAST_THREAD {
        @Override
        Thread start(Runnable task) {
            return started(new FastThreadLocalThread(task));
        }
    },

    THREAD {
        @Override
        Thread start(Runnable task) {
            return started(new Thread(task));
        }
    };

    /** Starts a new thread, which ends after the task. */
    abstract Thread start(Runnable task);

    private static Thread started(Thread thread) {
        thread.start();
        return thread;
    }
}
