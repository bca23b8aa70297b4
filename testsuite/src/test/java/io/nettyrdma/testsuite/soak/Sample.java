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
package io.nettyrdma.testsuite.soak;

import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocatorMetric;
import io.nettyrdma.testsuite.support.ProcessResources;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * What this process has done and holds at one moment.
 *
 * @param direct bytes of direct buffers: the JDK's and those that Netty allocates without it.
 * @param collections garbage collections so far.
 */
record Sample(long nanos, long messages, long bytes, long connections, long registered, long committed, long inUse,
              long direct, long resident, long descriptors, long collections) {

    static Sample take(Totals totals) throws IOException {
        RdmaByteBufAllocatorMetric memory = RdmaByteBufAllocator.DEFAULT.metric();
        return new Sample(System.nanoTime(), totals.messages.sum(), totals.bytes.sum(), totals.connections.sum(),
                memory.registeredBytes(), memory.committedBytes(), memory.inUseBytes(), directBytes(),
                ProcessResources.residentMemory(), ProcessResources.openDescriptors(), garbageCollections());
    }

    private static long directBytes() {
        return PlatformDependent.usedDirectMemory()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    private static long garbageCollections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
    }
}
