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

/** Which pages chunks are made of. Devices keep a translation for each page: fewer and larger ones are faster. */
public enum HugePages {

    /** Ordinary pages, unless the system makes all memory huge. */
    NONE,

    /** Huge ones where the kernel has some ({@code madvise}), ordinary ones else. */
    TRANSPARENT,

    /**
     * Huge ones that the administrator has set aside ({@code vm.nr_hugepages}). When those are used up, chunks are
     * transparent ones, and {@link RdmaByteBufAllocatorMetric#hugePageFallbacks} counts them.
     */
    EXPLICIT;

    /** Size of an explicit huge page on every architecture that we run on, with its default configuration. */
    static final int BYTES = 2 << 20;
}
