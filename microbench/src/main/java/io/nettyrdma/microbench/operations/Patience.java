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
package io.nettyrdma.microbench.operations;

import java.util.concurrent.TimeUnit;

/** Ends the program when completions that must come do not. */
final class Patience {

    private static final long NANOS = TimeUnit.SECONDS.toNanos(20);
    /** Empty polls between two looks at the clock. */
    private static final int LOOK = 1 << 16;

    private int empty;
    private long emptySince;

    /** @param completions that a poll has taken. */
    void note(int completions) {
        if (completions > 0) {
            empty = 0;
            return;
        }
        empty++;
        if (empty == LOOK) {
            emptySince = System.nanoTime();
        } else if (empty % LOOK == 0 && System.nanoTime() - emptySince > NANOS) {
            throw new IllegalStateException("a completion does not come");
        }
    }
}
