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

import io.nettyrdma.annotation.UnstableApi;

/**
 * Access rights of a memory region or a queue pair ({@code enum ibv_access_flags}).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum MemoryAccess {
    /** The local device may write: required for receives, RDMA reads into this memory and every remote write. */
    LOCAL_WRITE(1),
    /** The peer may write; requires {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(1 << 1),
    /** The peer may read. */
    REMOTE_READ(1 << 2),
    /** The peer may use compare-and-swap and fetch-and-add; requires {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(1 << 3),
    /** Writes may become visible out of order. Devices that do not support this ignore it. */
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

    /** The flags for a memory region; throws if they violate the rules of verbs. */
    static int regionFlags(MemoryAccess... access) {
        int flags = flags(access);
        if ((REMOTE_WRITE.isIn(flags) || REMOTE_ATOMIC.isIn(flags)) && !LOCAL_WRITE.isIn(flags)) {
            throw new IllegalArgumentException("REMOTE_WRITE and REMOTE_ATOMIC require LOCAL_WRITE");
        }
        return flags;
    }
}
