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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RegisteredByteBuf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A buffer over received memory, which grows beyond it as a buffer that was read from a socket does: into memory of the
 * allocator. The received memory goes back as soon as it is not needed. As with {@code RdmaByteBuf}, a device may be
 * reading it as long as there are other references:
 *
 * <pre>
 *                   in place            capacity(beyond)                         last release
 *   received memory  =======================|  one reference: goes back at once  |
 *                    =======================|====== several references ==========|  goes back
 *   of the allocator                        |====================================|  released
 * </pre>
 *
 * Within the memory that it has a change of the capacity moves the end, and copies nothing.
 */
abstract class GrowingByteBuf extends RegisteredByteBuf {

    private final int receivedBytes;
    /** Memory of the allocator, the present one last; {@code null} before the buffer has outgrown what was received. */
    private List<ByteBuf> replacements;
    private boolean hasReceived = true;

    GrowingByteBuf(ByteBuffer memory, long address) {
        super(memory, 0, address, Integer.MAX_VALUE);
        receivedBytes = memory.capacity();
    }

    GrowingByteBuf(RegisteredByteBuf whole, int index, int length) {
        super(whole, index, Integer.MAX_VALUE);
        receivedBytes = length;
    }

    /** The received memory is not needed any more, though the buffer may be. */
    abstract void returnReceived();

    /** The last reference is released, and the buffer is over the received memory, as it was in the beginning. */
    abstract void returnUnchanged();

    /** Starts a life of the buffer, with one reference and {@code length} bytes to read. */
    final void begin(int length) {
        use(receivedBytes);
        beginLife();
        writerIndex(length);
    }

    @Override
    protected final int memoryBytes() {
        return replacements == null ? receivedBytes : present().capacity();
    }

    private ByteBuf present() {
        return replacements.get(replacements.size() - 1);
    }

    @Override
    public final ByteBuf capacity(int newCapacity) {
        checkNewCapacity(newCapacity);
        if (newCapacity > memoryBytes()) {
            grow(newCapacity);
        }
        use(newCapacity);
        trimIndicesToCapacity(newCapacity);
        return this;
    }

    /** If there is no memory, nothing changes. */
    private void grow(int newCapacity) {
        checkMayMove(newCapacity);
        ByteBuf larger = allocator().directBuffer(newCapacity);
        moveTo(RegisteredByteBuf.of(larger), capacity());
        boolean isShared = refCnt() > 1;
        if (replacements == null) {
            replacements = new ArrayList<>();
        } else if (!isShared) {
            releaseReplacements();
        }
        replacements.add(larger);
        if (hasReceived && !isShared) {
            hasReceived = false;
            returnReceived();
        }
    }

    private void releaseReplacements() {
        replacements.forEach(ByteBuf::release);
        replacements.clear();
    }

    @Override
    protected final void deallocate() {
        if (replacements == null) {
            returnUnchanged();
            return;
        }
        releaseReplacements();
        if (hasReceived) {
            hasReceived = false;
            returnReceived();
        }
    }
}
