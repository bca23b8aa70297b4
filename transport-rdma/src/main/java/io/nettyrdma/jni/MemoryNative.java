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
 * Reserves ranges of addresses, and commits and uncommits memory within them. The caller guarantees that sizes and
 * addresses are multiples of the page size, or of the huge page size if huge pages are requested. Needs no RDMA
 * library.
 */
public final class MemoryNative {

    /**
     * {@code -EEXIST}: the addresses may have another owner. A mapping over them failed, the kernel had unmapped them
     * before, and they could not be reserved again. Do not use them, nor release them.
     */
    public static final int LOST = -17;

    private MemoryNative() {
    }

    /**
     * Reserves addresses without memory. Accessing them is a fault (SIGSEGV).
     *
     * @param alignment a power of two, at least the page size.
     * @return the first address, or {@code -errno}.
     */
    public static native long reserve(long size, long alignment);

    /** Releases a whole range, including its committed memory. Returns 0 or {@code -errno}. */
    public static native int release(long address, long size);

    /**
     * Commits zeroed memory to a part of a range.
     *
     * @param hugePages 0: ordinary pages; 1: transparent huge pages where the kernel has them; 2: explicit huge pages.
     * @return 0; {@link #LOST}; or {@code -errno}, and then the addresses are still reserved. With 2, {@code -ENOMEM}
     *         usually means that no huge pages are reserved, and {@code -EINVAL} that the kernel does not support them.
     */
    public static native int commit(long address, long size, int hugePages);

    /** Frees the memory of a part of a range. The addresses stay reserved. Returns 0 or {@link #LOST}. */
    public static native int uncommit(long address, long size);

    /** A buffer over {@code size} bytes, at most 2^31 - 1. The buffer does not keep the memory; the caller must. */
    public static native ByteBuffer view(long address, long size);
}
