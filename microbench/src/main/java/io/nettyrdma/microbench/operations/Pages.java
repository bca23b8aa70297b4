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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.jni.MemoryNative;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory with pages of a kind, as the allocator's chunks have it. */
final class Pages implements AutoCloseable {

    /** The kinds that {@link MemoryNative#commit} names. */
    enum Kind { ORDINARY, TRANSPARENT_HUGE }

    /** Bytes of a huge page. */
    static final int HUGE = 2 << 20;

    private static final int SMALL = 4096;
    private static final int KIB = 1024;

    private final long address;
    private final int size;
    private final Kind kind;

    Pages(int size, Kind kind) {
        this.size = size;
        this.kind = kind;
        address = MemoryNative.reserve(size, HUGE);
        checked(address);
        checked(MemoryNative.commit(address, size, kind.ordinal()));
    }

    long address() {
        return address;
    }

    int size() {
        return size;
    }

    /** Replaces the memory, so that the kernel has no page for it yet. */
    void renew() {
        checked(MemoryNative.uncommit(address, size));
        checked(MemoryNative.commit(address, size, kind.ordinal()));
    }

    /** Has the kernel give a page for each address. */
    void touch() {
        ByteBuffer memory = MemoryNative.view(address, size);
        for (int i = 0; i < size; i += SMALL) {
            memory.put(i, (byte) 1);
        }
    }

    /** Bytes of this process in transparent huge pages. */
    static long hugeBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/smaps_rollup")).stream()
                .filter(line -> line.startsWith("AnonHugePages:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIB).sum();
    }

    private static void checked(long result) {
        if (result < 0) {
            throw new IllegalStateException("no memory: errno " + -result);
        }
    }

    @Override
    public void close() {
        checked(MemoryNative.release(address, size));
    }
}
