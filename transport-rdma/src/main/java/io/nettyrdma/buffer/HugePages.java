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

/**
 * The pages that chunks use. Devices keep a translation for each page, so fewer and larger pages are faster.
 *
 * @since 0.1.0
 */
public enum HugePages {

    /** Ordinary pages, unless the system uses transparent huge pages for all memory. */
    NONE,

    /** Transparent huge pages ({@code madvise}) where the kernel has them, otherwise ordinary pages. */
    TRANSPARENT,

    /**
     * Huge pages that the administrator has reserved ({@code vm.nr_hugepages}). When none is left, chunks use
     * transparent huge pages, and {@link RdmaByteBufAllocatorMetric#hugePageFallbacks} counts them.
     */
    EXPLICIT;

    /** Size of an explicit huge page with the default configuration of every supported architecture. */
    static final int BYTES = 2 << 20;
}
