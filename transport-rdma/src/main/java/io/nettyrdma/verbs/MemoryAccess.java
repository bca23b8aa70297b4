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
package io.nettyrdma.verbs;

/** What the device may do with registered memory, or through a queue pair ({@code enum ibv_access_flags}). */
public enum MemoryAccess {
    /** The device may write: needed for receives, for the sink of a read, and for every remote write. */
    LOCAL_WRITE(1),
    /** A peer may write; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** A peer may read. */
    REMOTE_READ(1 << 2),
    /** A peer may compare-and-swap and fetch-and-add; needs {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(1 << 3),
    /** Writes may arrive in another order than they were sent; ignored by devices that cannot. */
    RELAXED_ORDERING(1 << 20);

    private final int flag;

    MemoryAccess(int flag) {
        this.flag = flag;
    }

    boolean isIn(int flags) {
        return (flags & flag) != 0;
    }

    static int flags(MemoryAccess... access) {
        int flags = 0;
        for (MemoryAccess each : access) {
            flags |= each.flag;
        }
        return flags;
    }

    /** The flags of a memory region, checked for what verbs demand of them. */
    static int regionFlags(MemoryAccess... access) {
        int flags = flags(access);
        if ((REMOTE_WRITE.isIn(flags) || REMOTE_ATOMIC.isIn(flags)) && !LOCAL_WRITE.isIn(flags)) {
            throw new IllegalArgumentException("REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too");
        }
        return flags;
    }
}
