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

import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.VerbsException;

/**
 * A completion queue of a loop, and how much of it is spoken for. Each queue pair has as many places as it can have
 * work requests outstanding, so it cannot overflow.
 *
 * <pre>
 *   | queue pair a | queue pair b |        room        |
 *   |&lt;-------- reserved --------&gt;|
 * </pre>
 */
final class LoopQueue {

    private final LoopDevice device;
    private final CompletionQueue queue;
    private int reserved;

    /** An event will come, or has come and was not taken yet. */
    private boolean armed;

    LoopQueue(LoopDevice device, CompletionQueue queue) {
        this.device = device;
        this.queue = queue;
    }

    CompletionQueue queue() {
        return queue;
    }

    LoopDevice device() {
        return device;
    }

    int capacity() {
        return queue.capacity();
    }

    boolean hasRoom(int completions) {
        return completions <= queue.capacity() - reserved;
    }

    void reserve(int completions) {
        assert hasRoom(completions);
        reserved += completions;
    }

    void release(int completions) {
        reserved -= completions;
        assert reserved >= 0;
    }

    /** Whether completions can come that somebody waits for. */
    boolean isUsed() {
        return reserved > 0 && !device.hasFailed();
    }

    void arm() throws VerbsException {
        if (!armed) {
            queue.arm(false);
            armed = true;
        }
    }

    void eventTaken() {
        armed = false;
    }
}
