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

import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The addresses of an {@link AddressRange}, apart from it, because they are released when it is unreachable. Units may
 * get lost: something else may be mapped there, so they are neither used nor released any more. Thread-safe.
 *
 * <pre>
 *   reserved ---a mapping over them failed, and they could not be reserved again---&gt; lost
 *      +----the allocator and its buffers are unreachable---&gt; released
 * </pre>
 */
final class Reservation {

    /** Those that are not released. */
    private static final List<Reservation> ALL = new CopyOnWriteArrayList<>();

    private final long start;
    private final int units;
    private final int unitShift;
    private final BitSet lost = new BitSet();

    Reservation(long start, int units, int unitShift) {
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

    synchronized void lose(int first, int count) {
        lost.set(first, first + count);
    }

    synchronized void release() {
        // First: from then on the addresses may be anybody's.
        ALL.remove(this);
        for (int first = lost.nextClearBit(0); first < units;) {
            int next = lost.nextSetBit(first);
            int end = next < 0 ? units : next;
            MemoryNative.release(start + ((long) first << unitShift), (long) (end - first) << unitShift);
            first = lost.nextClearBit(end);
        }
    }
}
