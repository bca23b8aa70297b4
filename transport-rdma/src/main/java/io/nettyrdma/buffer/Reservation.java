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

import io.nettyrdma.jni.MemoryNative;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The addresses of an {@link AddressRange}, apart from it, because they are released when it is unreachable. Units may
 * get lost: something else may be mapped there, so they are neither used nor released any more. Thread-safe.
 *
 * <pre>
 *   reserved ---a mapping over them failed, and they could not be reserved again---&gt; lost
 *      +----the allocator and its buffers are unreachable---&gt; released, when another allocator asks
 *      +----the class loader is unreachable---&gt; released by the native library as it is unloaded
 * </pre>
 *
 * No thread waits for the first: it would keep the class loader reachable, and with it the allocators that are
 * constants.
 */
final class Reservation extends PhantomReference<AddressRange> {

    /** Those that are not released. */
    private static final List<Reservation> ALL = new CopyOnWriteArrayList<>();
    private static final ReferenceQueue<AddressRange> UNREACHABLE = new ReferenceQueue<>();

    private final long start;
    private final int units;
    private final int unitShift;
    private final BitSet lost = new BitSet();

    Reservation(AddressRange range, long start, int units, int unitShift) {
        super(range, UNREACHABLE);
        this.start = start;
        this.units = units;
        this.unitShift = unitShift;
        ALL.add(this);
    }

    /** Whether an address is a reserved one of this process, used or not. */
    static boolean isInAny(long address) {
        for (Reservation each : ALL) {
            if (each.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private synchronized boolean contains(long address) {
        long unit = address - start >>> unitShift;
        return unit < units && !lost.get((int) unit);
    }

    /** Releases the addresses of ranges that are unreachable now. Costs nothing if there are none. */
    static void releaseUnreachable() {
        for (Reservation each = next(); each != null; each = next()) {
            each.release();
        }
    }

    private static Reservation next() {
        return (Reservation) UNREACHABLE.poll();
    }

    synchronized void lose(int first, int count) {
        lost.set(first, first + count);
    }

    /** Does so once. */
    synchronized void release() {
        // First: from then on the addresses may have another owner.
        if (!ALL.remove(this)) {
            return;
        }
        for (int first = lost.nextClearBit(0); first < units;) {
            int next = lost.nextSetBit(first);
            int end = next < 0 ? units : next;
            MemoryNative.release(start + ((long) first << unitShift), (long) (end - first) << unitShift);
            first = lost.nextClearBit(end);
        }
    }
}
