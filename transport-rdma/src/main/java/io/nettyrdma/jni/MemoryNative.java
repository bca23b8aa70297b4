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
package io.nettyrdma.jni;

import java.nio.ByteBuffer;

/**
 * A range of addresses, and memory that comes and goes within it. Sizes and addresses are whole pages, explicit huge
 * ones if such are asked for; the caller has checked that. Needs no RDMA library.
 */
public final class MemoryNative {

    private MemoryNative() {
    }

    /**
     * Reserves addresses without memory behind them: touching one is a fault.
     *
     * @param alignment a power of two, a page at least.
     * @return the first address, or {@code -errno}.
     */
    public static native long reserve(long size, long alignment);

    /** Gives a whole range back, with what is committed of it. Returns 0 or {@code -errno}. */
    public static native int release(long address, long size);

    /**
     * Puts zeroed memory behind a part of a range.
     *
     * @param hugePages 0: ordinary pages; 1: huge ones where the kernel has some; 2: huge ones only.
     * @return 0 or {@code -errno}; with 2, {@code -ENOMEM} mostly says that no huge pages are set aside, and
     *         {@code -EINVAL} that this kernel has none.
     */
    public static native int commit(long address, long size, int hugePages);

    /** Gives the memory of a part of a range back; the addresses stay reserved. Returns 0 or {@code -errno}. */
    public static native int uncommit(long address, long size);

    /** A buffer over {@code size} bytes, 2^31 - 1 at most. It does not keep them: the caller does. */
    public static native ByteBuffer view(long address, long size);
}
