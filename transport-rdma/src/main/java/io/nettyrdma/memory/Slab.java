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
package io.nettyrdma.memory;

import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.nio.ByteBuffer;

/** One region of page-aligned memory, cut into slots of the same size. */
final class Slab {

    private static final int PAGE = 4096;

    final ByteBuffer bytes;
    final MemoryRegion region;
    final long address;
    final long length;
    final int localKey;

    /** What each slot's memory looks like to the application; null before the first use, and while it is held. */
    final ReceivedByteBuf[] buffers;

    /** Whether somebody has the slot: giving one twice would hand it to two owners. Loop thread. */
    final boolean[] taken;

    /** Links of the hand-over stack: number of the slot below, written by who gives the slot. */
    final int[] below;

    Slab(ProtectionDomain domain, int slots, int slotSize) throws VerbsException {
        int size = Math.multiplyExact(slots, slotSize);
        ByteBuffer whole = ByteBuffer.allocateDirect(Math.addExact(size, PAGE - 1));
        bytes = whole.slice(PAGE - 1 - whole.alignmentOffset(PAGE - 1, PAGE), size);
        region = domain.register(bytes, MemoryAccess.LOCAL_WRITE);
        address = region.address();
        length = size;
        localKey = region.localKey();
        buffers = new ReceivedByteBuf[slots];
        taken = new boolean[slots];
        below = new int[slots];
    }

    boolean contains(long start, int bytesFromThere) {
        return start >= address && start - address <= length - bytesFromThere;
    }
}
