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

import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * The registered memory of an end:
 *
 * <pre>
 *   | source: sent, written, read by the peer | target: written by the peer | inbox: what is received or read |
 * </pre>
 */
final class Area implements AutoCloseable {

    private static final int PAGE = 4096;

    private final ByteBuffer memory;
    private final MemoryRegion region;
    private final int part;

    /** @param size bytes of the longest operation. */
    Area(ProtectionDomain domain, LocalPort port, int size) throws VerbsException {
        part = (size + PAGE - 1) / PAGE * PAGE;
        memory = ByteBuffer.allocateDirect(3 * part).alignedSlice(Long.BYTES).order(ByteOrder.nativeOrder());
        region = domain.register(memory, port.access());
        byte[] bytes = new byte[part];
        new Random(System.identityHashCode(this)).nextBytes(bytes);
        memory.put(0, bytes);
    }

    MemoryRegion region() {
        return region;
    }

    int source() {
        return 0;
    }

    int target() {
        return part;
    }

    int inbox() {
        return 2 * part;
    }

    long addressOf(int offset) {
        return region.address() + offset;
    }

    /** Empties the target and the inbox. */
    void clear() {
        memory.put(target(), new byte[2 * part]);
    }

    long number(int offset) {
        return memory.getLong(offset);
    }

    /** Throws if the bytes at {@code offset} are not those of the peer's source. */
    void checkHolds(int offset, Area peer, int size, Operation operation) {
        SameBytes.check(memory.slice(offset, size), peer.memory.slice(peer.source(), size), operation);
    }

    @Override
    public void close() throws VerbsException {
        region.close();
    }
}
