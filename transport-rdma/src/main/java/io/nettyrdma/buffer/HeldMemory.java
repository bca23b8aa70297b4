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

import io.netty.buffer.AbstractDerivedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.util.AbstractReferenceCounted;
import io.nettyrdma.annotation.UnstableApi;

import java.util.ArrayList;
import java.util.List;

/**
 * References to a buffer, and to everything that it wraps, because a wrapper may ignore {@code retain()}. Slices and
 * duplicates pass references on and need none.
 *
 * <pre>
 *   slice ---&gt; Unpooled.unreleasableBuffer ---&gt; leak record ---&gt; the buffer that has the memory
 *                         x                         x                        x
 * </pre>
 *
 * Thread-safe. For use within this project only. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class HeldMemory extends AbstractReferenceCounted {

    /** The outermost first. */
    private final List<ByteBuf> layers = new ArrayList<>();
    /** {@code null} if nothing is pinned. */
    private final RegisteredByteBuf pinned;

    private HeldMemory(ByteBuf buffer, RegisteredByteBuf pinned) {
        this.pinned = pinned;
        try {
            ByteBuf inner = buffer;
            for (ByteBuf next = retain(inner); next != null && next != inner; next = retain(inner)) {
                inner = next;
            }
        } catch (RuntimeException e) {
            layers.forEach(ByteBuf::release);
            throw e;
        }
        if (pinned != null) {
            pinned.pin();
        }
    }

    /** Takes references. The caller keeps its own. */
    static HeldMemory of(ByteBuf buffer) {
        return new HeldMemory(buffer, null);
    }

    /**
     * Takes references, and keeps a buffer of an {@link RdmaByteBufAllocator} where it is: a change of the capacity
     * fails if it would move the buffer. For memory that the device writes to, which would otherwise write where the
     * buffer was. The caller keeps its own references.
     *
     * @param buffer the buffer, or a view of it.
     * @return the references, which the caller releases.
     */
    public static HeldMemory pinned(ByteBuf buffer) {
        return new HeldMemory(buffer, RegisteredByteBuf.of(buffer));
    }

    /** Returns what the buffer wraps; {@code null} if it has the memory. */
    @SuppressWarnings("deprecation")
    private ByteBuf retain(ByteBuf buffer) {
        if (!(buffer instanceof AbstractDerivedByteBuf)) {
            layers.add(buffer.retain());
        }
        return buffer.unwrap();
    }

    /** The owner of the memory goes first: a leak record ends with the last release, if that is its own. */
    @Override
    protected void deallocate() {
        if (pinned != null) {
            pinned.unpin();
        }
        layers.remove(layers.size() - 1).release();
        layers.forEach(ByteBuf::release);
    }

    @Override
    public HeldMemory touch(Object hint) {
        return this;
    }
}
