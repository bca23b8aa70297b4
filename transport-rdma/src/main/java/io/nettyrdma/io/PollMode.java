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

/**
 * What a loop does when there is nothing to do.
 *
 * @since 0.1.0
 */
public enum PollMode {

    /**
     * Polls for a while, then waits to be woken. The default. If the process has more loops than processors, and
     * another thread waits for this loop's processor, the loop sleeps at once.
     */
    ADAPTIVE,

    /**
     * Does not sleep while a handle is registered: the shortest latency, at the cost of a core. While threads that
     * compute share that core, the loop sleeps as an {@link #ADAPTIVE} one does, because it would lose a time slice of
     * milliseconds with each yield.
     */
    BUSY,

    /** As {@link #ADAPTIVE}, but polls no longer than a sleep costs, some microseconds. */
    EVENT
}
