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
package io.nettyrdma.testsuite.soak;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.GlobalEventExecutor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps buffers for a while, as applications do, and releases them on a thread that is not an event loop. */
final class Keeper {

    private static final int MILLIS = 50;

    private final AtomicInteger kept = new AtomicInteger();
    private final Verdict verdict;

    Keeper(Verdict verdict) {
        this.verdict = verdict;
    }

    /** @param buffer released by this object. */
    void keep(ByteBuf buffer, long seed, long position) {
        kept.incrementAndGet();
        GlobalEventExecutor.INSTANCE.schedule(() -> {
            long difference = new SeededBytes(seed, position).firstDifference(buffer, buffer.readableBytes());
            if (difference >= 0) {
                verdict.failed("a buffer that was kept has changed, at byte " + difference
                        + " of the sequence " + seed);
            }
            buffer.release();
            kept.decrementAndGet();
        }, MILLIS, TimeUnit.MILLISECONDS);
    }

    int kept() {
        return kept.get();
    }
}
