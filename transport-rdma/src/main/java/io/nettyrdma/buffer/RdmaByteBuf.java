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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * A buffer over a slot of a chunk. The object represents its slot even while the slot is free. If the capacity outgrows
 * the slot, the buffer swaps slots with the object of a larger one.
 *
 * <p>While there are other references, the old slot stays with the buffer: a channel may be sending a slice of it,
 * and the device reads the memory where it was when the work request was posted.
 *
 * <pre>
 *   log.retainedSlice()    flush                    log grows                completion    log.release()
 *   -----------------------|-------------------------|-----------------------|-------------|
 *   old slot:              the device reads it ------------------------------+  outgrown   free
 *   new slot:                                        the buffer's                          free
 * </pre>
 */
final class RdmaByteBuf extends RegisteredByteBuf {

    private final RdmaByteBufAllocator allocator;
    /** Has the slot. */
    private Run run;

    /**
     * Link of the arena's stack of returned buffers; {@code stackBytes} is the total from here down. Owned by the
     * thread that pushes the buffer, then by the arena.
     */
    RdmaByteBuf below;
    long stackBytes;

    /** The next of the slots that the buffer has outgrown while it was shared. */
    private RdmaByteBuf outgrown;

    RdmaByteBuf(RdmaByteBufAllocator allocator, Run run, int offset) {
        super(run.chunk.memory, offset, run.chunk.address + offset, 0);
        this.allocator = allocator;
        this.run = run;
    }

    Run run() {
        return run;
    }

    /** Starts a new life of the buffer, with one reference. */
    void begin(int capacity, int maxCapacity) {
        use(capacity);
        maxCapacity(maxCapacity);
        beginLife();
    }

    @Override
    protected void deallocate() {
        while (outgrown != null) {
            RdmaByteBuf first = outgrown;
            outgrown = first.outgrown;
            first.outgrown = null;
            allocator.give(first);
        }
        allocator.give(this);
    }

    @Override
    public ByteBufAllocator alloc() {
        return allocator;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        checkNewCapacity(newCapacity);
        int old = capacity();
        if (newCapacity > run.slotBytes || newCapacity <= run.slotBytes / 2 && newCapacity < old && mayShrink()) {
            move(newCapacity);
        }
        use(newCapacity);
        if (newCapacity < old) {
            trimIndicesToCapacity(newCapacity);
        }
        return this;
    }

    @Override
    public RdmaByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    protected int memoryBytes() {
        return run.slotBytes;
    }

    /**
     * Whether others than the caller may access the memory: what the device accesses has a reference of its own. A loop
     * that releases its reference meanwhile is seen too late, and then the old slot is kept in vain.
     */
    private boolean isShared() {
        return refCnt() > 1;
    }

    private boolean mayShrink() {
        return !isShared() && !isPinned();
    }

    /** Moves to a slot that fits the capacity. If that fails, nothing changes. */
    private void move(int newCapacity) {
        checkMayMove(newCapacity);
        RdmaByteBuf other = allocator.take(newCapacity);
        if (other.run.slotBytes == run.slotBytes) {
            allocator.give(other);
            return;
        }
        copyMemory(other, Math.min(capacity(), newCapacity));
        exchangeMemory(other);
        Run ownRun = run;
        run = other.run;
        other.run = ownRun;
        if (isShared()) {
            other.outgrown = outgrown;
            outgrown = other;
        } else {
            allocator.give(other);
        }
    }
}
