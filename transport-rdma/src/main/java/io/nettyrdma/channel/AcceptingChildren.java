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
package io.nettyrdma.channel;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts a server's children from the moment when it reads a request until the connection is open or there will be
 * none. A server limits their number, and the time that each may take: a peer that never confirms gets a queue pair and
 * its receives, but not for long. The server's loop adds children, their own loops end them.
 */
final class AcceptingChildren {

    private final AtomicInteger count = new AtomicInteger();
    private final Runnable whenOneEnds;

    /** @param whenOneEnds runs after the count has fallen, on the thread that ends the child. */
    AcceptingChildren(Runnable whenOneEnds) {
        this.whenOneEnds = whenOneEnds;
    }

    /** Any thread. */
    int count() {
        return count.get();
    }

    /** Adds a child. */
    Ticket add() {
        count.incrementAndGet();
        return new Ticket();
    }

    /** One child's part of the count. */
    final class Ticket {

        private final AtomicBoolean ended = new AtomicBoolean();

        /** The child does not count any more. Any thread, more than once. */
        void end() {
            if (ended.compareAndSet(false, true)) {
                count.decrementAndGet();
                whenOneEnds.run();
            }
        }
    }
}
