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

import io.nettyrdma.jni.Errno;
import io.nettyrdma.jni.MemoryNative;
import io.nettyrdma.jni.NativeLibrary;

import java.util.BitSet;

/**
 * The reserved address range of an allocator. Because it is one range, a comparison shows whether an address belongs to
 * the allocator, and a shift in which unit it is. Addresses have no memory until it is committed. {@link Reservation}
 * says when the range is released.
 *
 * <pre>
 *   base                                                          base + bytes
 *   | unit 0 | unit 1 | unit 2 | unit 3 | unit 4 | ...            |
 *   [ chunk  ][ a chunk of two units,   ][ uncommitted: a fault   ]
 *             [ partly committed        ]
 * </pre>
 */
final class AddressRange {

    private final long base;
    private final long bytes;
    private final int unitShift;
    private final int units;
    private final BitSet taken;
    private final Reservation reservation;

    /**
     * @param wanted size in bytes; rounded up to whole units.
     * @param unit size of a unit in bytes, a power of two. The range is aligned to it and to explicit huge pages.
     */
    AddressRange(long wanted, int unit) {
        unitShift = Integer.numberOfTrailingZeros(unit);
        units = Math.toIntExact((wanted + unit - 1) >>> unitShift);
        bytes = (long) units << unitShift;
        NativeLibrary.ensureShim();
        Reservation.releaseUnreachable();
        base = MemoryNative.reserve(bytes, Math.max(unit, HugePages.BYTES));
        if (base < 0) {
            throw new OutOfRegisteredMemoryError("mmap failed to reserve " + bytes + " bytes of address space: "
                    + Errno.name((int) base) + "; if \"ulimit -v\" is set, raise it, or lower maxRegisteredBytes");
        }
        taken = new BitSet(units);
        reservation = new Reservation(this, base, units, unitShift);
    }

    long base() {
        return base;
    }

    long bytes() {
        return bytes;
    }

    int unitShift() {
        return unitShift;
    }

    int units() {
        return units;
    }

    /** Takes {@code count} consecutive units; returns the first, or -1 if no such range is free. */
    synchronized int take(int count) {
        int first = taken.nextClearBit(0);
        while (first + count <= units) {
            int next = taken.nextSetBit(first);
            if (next < 0 || next - first >= count) {
                taken.set(first, first + count);
                return first;
            }
            first = taken.nextClearBit(next);
        }
        return -1;
    }

    synchronized void give(int first, int count) {
        taken.clear(first, first + count);
    }

    /** Taken units whose addresses may have another owner now: they are never free again, and never released. */
    void lose(int first, int count) {
        reservation.lose(first, count);
    }

    long address(int unit) {
        return base + ((long) unit << unitShift);
    }
}
