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

import java.util.Arrays;

/**
 * The sizes of slots. There are four sizes for each doubling, so that at most a fifth of a slot is wasted. Each size is
 * a multiple of the alignment, and of the page size if it is at least a page.
 *
 * <pre>
 *   64 128 192 256 | 320 384 448 512 | 640 768 896 1024 | ...     alignment 64
 * </pre>
 */
final class SizeClasses {

    private static final int STEPS = 4;
    /** Number of pages of a chunk: one for each bit of a long. */
    static final int PAGES = Long.SIZE;
    /** At most one part in this many may be left over at the end of a run. */
    private static final int WASTE = 8;

    private final int[] sizes;
    private final int[] runPages;
    private final int pageShift;
    private final int granuleShift;
    /** Size class by (size - 1) in units of the alignment, for sizes up to a page. */
    private final byte[] small;

    SizeClasses(int alignment, int chunkBytes) {
        pageShift = Integer.numberOfTrailingZeros(chunkBytes / PAGES);
        granuleShift = Integer.numberOfTrailingZeros(alignment);
        int page = 1 << pageShift;
        int[] all = new int[STEPS * Integer.SIZE];
        int count = 0;
        for (long size = alignment; size <= chunkBytes; size += Math.max(alignment, step(size))) {
            int unit = size < page ? alignment : page;
            int rounded = (int) (size + unit - 1) & -unit;
            if (count == 0 || rounded > all[count - 1]) {
                all[count++] = rounded;
            }
        }
        sizes = Arrays.copyOf(all, count);
        runPages = new int[count];
        for (int i = 0; i < count; i++) {
            runPages[i] = pagesFor(sizes[i]);
        }
        small = new byte[page >> granuleShift];
        for (int i = 0, sizeClass = 0; i < small.length; i++) {
            if (i + 1 << granuleShift > sizes[sizeClass]) {
                sizeClass++;
            }
            small[i] = (byte) sizeClass;
        }
    }

    /** Number of size classes. */
    int count() {
        return sizes.length;
    }

    /** Size of a slot in bytes. */
    int size(int sizeClass) {
        return sizes[sizeClass];
    }

    /** Number of pages of a run of such slots. */
    int runPages(int sizeClass) {
        return runPages[sizeClass];
    }

    int pageBytes() {
        return 1 << pageShift;
    }

    /** The smallest size class for {@code bytes}, which must not exceed the size of a chunk. */
    int of(int bytes) {
        int granule = Math.max(bytes - 1, 0) >> granuleShift;
        return granule < small.length ? small[granule] : large(bytes);
    }

    private int large(int bytes) {
        int low = small[small.length - 1];
        int high = sizes.length - 1;
        while (low < high) {
            int middle = low + high >>> 1;
            if (sizes[middle] < bytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static long step(long size) {
        return Long.highestOneBit(size) / STEPS;
    }

    private int pagesFor(int size) {
        int page = 1 << pageShift;
        int pages = (size + page - 1) / page;
        while (pages < PAGES && pages * (long) page % size * WASTE > pages * (long) page) {
            pages++;
        }
        return pages;
    }
}
