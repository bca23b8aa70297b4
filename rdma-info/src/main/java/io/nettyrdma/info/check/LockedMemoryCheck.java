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
package io.nettyrdma.info.check;

import java.util.List;

/** The limit of locked memory against what our defaults need. The arithmetic is that of {@code docs/memory.md}. */
final class LockedMemoryCheck implements Check {

    private static final String NAME = "locked memory";

    /** A chunk of the allocator. */
    private static final long CHUNK_KIB = 2048;
    /** Receives and a slot for frames. */
    private static final long IDLE_KIB = 16;
    /** A whole window of receives, and staged data. */
    private static final long BUSY_KIB = 1024 + 128;
    /** A completion queue of 4096 entries of 64 bytes. */
    private static final long LOOP_QUEUE_KIB = 256;
    /** Send queue and receive queue, and 256 entries of the completion queue. */
    private static final long QUEUES_KIB = 36 + 16;

    private final long limitBytes;
    private final boolean bounds;

    /**
     * @param limitBytes of {@code RLIMIT_MEMLOCK}; negative if it is unknown.
     * @param bounds whether it bounds this process, which may have the capability to exceed it.
     */
    LockedMemoryCheck(long limitBytes, boolean bounds) {
        this.limitBytes = limitBytes;
        this.bounds = bounds;
    }

    @Override
    public List<Finding> findings(Machine machine) {
        if (limitBytes < 0) {
            return List.of(Finding.note(NAME, "the system does not report the limit", "see ulimit -l"));
        }
        if (!bounds) {
            return List.of(Finding.ok(NAME, limitBytes == Long.MAX_VALUE ? "unlimited"
                    : "this process may exceed the limit of " + (limitBytes >> 10) + " KiB (CAP_IPC_LOCK)"));
        }
        // The software device pins no queues.
        long loop = CHUNK_KIB + (machine.software() ? 0 : LOOP_QUEUE_KIB);
        long queues = machine.software() ? 0 : QUEUES_KIB;
        long idle = queues + IDLE_KIB;
        long busy = queues + BUSY_KIB;
        long forConnections = (limitBytes >> 10) - loop;
        String text = "the limit is " + (limitBytes >> 10) + " KiB; a loop needs " + loop + " KiB and a connection "
                + idle + " KiB, " + busy + " KiB when it is busy: ";
        if (forConnections < idle) {
            return List.of(Finding.problem(NAME, text + "no connection fits",
                    machine.container().raiseLockedMemory()));
        }
        return List.of(Finding.warning(NAME, text + forConnections / idle + " idle or "
                + forConnections / busy + " busy connections of one loop fit",
                machine.container().raiseLockedMemory()));
    }
}
