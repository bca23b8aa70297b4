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

import io.netty.util.concurrent.FastThreadLocalThread;

/** Which threads clean up their thread locals when they end, so that a cache of theirs does not outlive them. */
final class CachedThreads {

    private static final boolean NETTY_KNOWS = nettyKnows();

    private CachedThreads() {
    }

    /** Whether the current thread is one. */
    @SuppressWarnings("deprecation")
    static boolean isCurrent() {
        return NETTY_KNOWS ? FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals()
                : FastThreadLocalThread.willCleanupFastThreadLocals(Thread.currentThread());
    }

    private static boolean nettyKnows() {
        try {
            FastThreadLocalThread.currentThreadWillCleanupFastThreadLocals();
            return true;
        } catch (NoSuchMethodError e) {
            // Netty before 4.2.2.
            return false;
        }
    }
}
