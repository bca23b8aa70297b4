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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.VerbsException;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A direct buffer in native byte order, and its memory region. */
public record TestMemory(ByteBuffer bytes, MemoryRegion region) implements PeerMemory, AutoCloseable {

    /** All access flags except that for atomics. */
    public static final MemoryAccess[] ALL_ACCESS =
            { MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_READ, MemoryAccess.REMOTE_WRITE };

    public static TestMemory register(ProtectionDomain domain, int size, MemoryAccess... access)
            throws VerbsException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
        return new TestMemory(bytes, domain.register(bytes, access));
    }

    @Override
    public TestMemory put(int offset, byte[] content) {
        bytes.put(offset, content);
        return this;
    }

    @Override
    public byte[] get(int offset, int length) {
        byte[] content = new byte[length];
        bytes.get(offset, content);
        return content;
    }

    @Override
    public int size() {
        return bytes.capacity();
    }

    @Override
    public long address(int offset) {
        return region.address() + offset;
    }

    @Override
    public int localKey() {
        return region.localKey();
    }

    @Override
    public int remoteKey() {
        return region.remoteKey();
    }

    @Override
    public void close() throws VerbsException {
        region.close();
    }
}
