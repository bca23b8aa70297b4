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
package io.nettyrdma.io;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.verbs.ProtectionDomain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A protection domain of a loop, and the memory that is registered with it. Keys of memory, and the numbers of EFA's
 * address handles, hold in one domain alone. So memory that two domains use is registered twice.
 *
 * <p>Belongs to the loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class LoopDomain {

    private record Pool(RdmaByteBufAllocator allocator, int[] slotSizes, int headerRoom, SlotPool slots) {
    }

    private final RdmaLoop loop;
    private final ProtectionDomain domain;
    private final Closer closer = new Closer();
    private final Map<RdmaByteBufAllocator, RegistrationIndex> indexes = new IdentityHashMap<>();
    /** Few, so they are searched. */
    private final List<Pool> pools = new ArrayList<>();

    LoopDomain(RdmaLoop loop, ProtectionDomain domain) {
        this.loop = loop;
        this.domain = closer.add(domain);
    }

    /** {@return the protection domain} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /**
     * {@return the registrations of the allocator's memory in this domain, which closes them at its end}
     *
     * @param allocator whose memory is registered.
     */
    public RegistrationIndex index(RdmaByteBufAllocator allocator) {
        return indexes.computeIfAbsent(allocator, from -> closer.add(RegistrationIndex.of(from, domain)));
    }

    /**
     * {@return the pool of slots of these sizes in the allocator's memory} The domain closes it at its end.
     *
     * @param allocator whose memory the slots have.
     * @param headerRoom bytes of a slot in front of the payload.
     * @param slotSizes bytes, from the smallest to the largest.
     */
    public SlotPool pool(RdmaByteBufAllocator allocator, int headerRoom, int... slotSizes) {
        for (Pool each : pools) {
            if (each.allocator == allocator && Arrays.equals(each.slotSizes, slotSizes)
                    && each.headerRoom == headerRoom) {
                return each.slots;
            }
        }
        SlotPool added = closer.add(new SlotPool(allocator, index(allocator), loop.executor(), slotSizes, headerRoom,
                loop.config().slabBytes()));
        pools.add(new Pool(allocator, slotSizes, headerRoom, added));
        return added;
    }

    /** Bytes that are pinned for this domain: the chunks that contain its slots, and all that it ever sent from. */
    long registeredBytes() {
        long bytes = 0;
        for (RegistrationIndex index : indexes.values()) {
            bytes += index.registeredBytes();
        }
        return bytes;
    }

    /** Bytes of all slots, used or free. */
    long slotBytes() {
        long bytes = 0;
        for (Pool pool : pools) {
            bytes += pool.slots.bytes();
        }
        return bytes;
    }

    /** Closes everything. Queue pairs, address handles and exposed memory of the domain must be closed before. */
    void close() {
        closer.close();
    }

    @Override
    public String toString() {
        return registeredBytes() + " bytes registered with " + domain;
    }
}
