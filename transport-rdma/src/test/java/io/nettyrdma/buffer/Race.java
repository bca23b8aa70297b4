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

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** Tasks on separate threads that start at the same time, or slightly apart. For one run. */
final class Race {

    /** Turns of an empty loop: some microseconds, about as long as the racing operations. */
    private static final int MOST_APART = 400;

    private final Random random;
    private final List<Runnable> submissions = new ArrayList<>();
    private final List<CompletableFuture<Void>> ends = new ArrayList<>();
    private final AtomicInteger missing = new AtomicInteger();

    Race(Random random) {
        this.random = random;
    }

    /** Adds a task. */
    Race with(Executor thread, Runnable task) {
        return with(thread, () -> { }, task);
    }

    /** Adds a task. The race starts after its preparation. */
    Race with(Executor thread, Runnable preparation, Runnable task) {
        int apart = random.nextInt(MOST_APART);
        CompletableFuture<Void> end = new CompletableFuture<>();
        missing.incrementAndGet();
        ends.add(end);
        submissions.add(() -> thread.execute(() -> {
            try {
                try {
                    preparation.run();
                } finally {
                    // Also if it failed, so that no task waits without limit.
                    missing.decrementAndGet();
                }
                awaitOthers(apart);
                task.run();
                end.complete(null);
            } catch (Throwable e) {
                end.completeExceptionally(e);
            }
        }));
        return this;
    }

    /** Returns when all tasks are done. Throws what one of them threw. */
    void run() throws InterruptedException, ExecutionException {
        submissions.forEach(Runnable::run);
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).get();
    }

    private void awaitOthers(int apart) {
        while (missing.get() > 0) {
            // The others may need this CPU to get here.
            Thread.yield();
        }
        for (int i = 0; i < apart; i++) {
            Thread.onSpinWait();
        }
    }
}
