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
import io.netty.util.ReferenceCounted;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.annotation.UnstableApi;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * A buffer over registered memory, of any owner. Accesses use absolute indexes into a {@link ByteBuffer} whose
 * position and limit never change. Single values are accessed by address where Unsafe is available, as in Netty's own
 * buffers: a {@link ByteBuffer} would check each index a second time and take up to twice as long; see
 * docs/decisions/0008. Nothing that reads or writes bytes allocates, except for streams and channels, and for a view of
 * a foreign direct buffer.
 *
 * <p>For use within this project only. As any buffer, for one thread at a time; {@code retain} and {@code release} on
 * any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public abstract class RegisteredByteBuf extends DirectByteBuf {

    /** Requires unaligned access, because values can be at any address; the code below swaps bytes. */
    static final boolean BY_ADDRESS = PlatformDependent.hasUnsafe() && PlatformDependent.isUnaligned()
            && !PlatformDependent.BIG_ENDIAN_NATIVE_ORDER;

    private static final AtomicIntegerFieldUpdater<RegisteredByteBuf> PINS =
            AtomicIntegerFieldUpdater.newUpdater(RegisteredByteBuf.class, "pins");

    private ByteBuffer memory;
    private int offset;
    private long address;
    /** The bytes of the memory that the buffer uses. */
    private int capacity;
    /** A duplicate over the same memory, for {@link #internalNioBuffer}; created on first use. */
    private ByteBuffer internal;
    private volatile int pins;

    /**
     * The buffer has no reference yet.
     *
     * @param memory contains the bytes of the buffer.
     * @param offset of the buffer's first byte in {@code memory}.
     * @param address of that byte.
     * @param maxCapacity bytes to which the buffer may grow.
     */
    protected RegisteredByteBuf(ByteBuffer memory, int offset, long address, int maxCapacity) {
        super(maxCapacity);
        this.memory = memory;
        this.offset = offset;
        this.address = address;
        setRefCnt(0);
    }

    /**
     * {@return the buffer that {@code buffer} is, wraps, or is a part of} {@code null} for a foreign buffer, and for a
     * composite, which may drop a component while it is referenced itself.
     *
     * @param buffer any buffer.
     */
    public static RegisteredByteBuf of(ByteBuf buffer) {
        ByteBuf inner = buffer;
        while (inner != null && !(inner instanceof RegisteredByteBuf)) {
            ByteBuf next = inner.unwrap();
            inner = next == inner ? null : next;
        }
        return (RegisteredByteBuf) inner;
    }

    /**
     * The buffer that owns {@code length} bytes at {@code index} of {@code buffer}. A device may access them as long as
     * the owner is referenced: a reference to {@code buffer} is not enough, because a wrapper may ignore
     * {@link #retain()}.
     *
     * @param buffer any buffer.
     * @param index of the first byte.
     * @param length bytes, at least 1.
     * @return as {@link #of}; also {@code null} if a wrapper has no address, or one that is not in the memory of what
     *         it wraps.
     */
    public static RegisteredByteBuf owner(ByteBuf buffer, int index, int length) {
        RegisteredByteBuf owner = of(buffer);
        if (owner == null || !buffer.hasMemoryAddress()) {
            return null;
        }
        long offset = buffer.memoryAddress() + index - owner.address;
        return offset >= 0 && offset + length <= owner.memoryBytes() ? owner : null;
    }

    /**
     * {@return whether {@code view} is this buffer, or consists of Netty's slices and duplicates of it} Then a
     * reference to it is one to this buffer.
     *
     * @param view a buffer for which {@link #of} has returned this one.
     */
    @SuppressWarnings("deprecation")
    public final boolean isReferencedBy(ByteBuf view) {
        ByteBuf inner = view;
        while (inner instanceof AbstractDerivedByteBuf) {
            inner = inner.unwrap();
        }
        return inner == this;
    }

    /**
     * Takes a reference to this buffer, and to the wrappers between it and {@code view}: they may have leak records, or
     * references of their own.
     *
     * @param view a buffer for which {@link #of} has returned this one.
     * @return what to release.
     */
    public final ReferenceCounted hold(ByteBuf view) {
        return isReferencedBy(view) ? retain() : HeldMemory.of(view);
    }

    /**
     * {@return whether the address is one of an allocator of this project, used or not} Any thread.
     *
     * @param address any address.
     */
    public static boolean isAllocators(long address) {
        return Reservation.isInAny(address);
    }

    /** From now on a change of the capacity fails if it would move the buffer. Any thread. */
    final void pin() {
        PINS.getAndIncrement(this);
    }

    final void unpin() {
        PINS.getAndDecrement(this);
    }

    final boolean isPinned() {
        return pins != 0;
    }

    /** Starts a new life of the buffer, with one reference and nothing to read. */
    protected final void beginLife() {
        resetRefCnt();
        setIndex(0, 0);
        markReaderIndex();
        markWriterIndex();
    }

    /**
     * Over a part of what another buffer has, of which it needs a reference. The buffer has no reference yet.
     *
     * @param whole the buffer with the memory.
     * @param index of this buffer's first byte in {@code whole}.
     * @param maxCapacity bytes to which this buffer may grow.
     */
    protected RegisteredByteBuf(RegisteredByteBuf whole, int index, int maxCapacity) {
        this(whole.memory, whole.offset + index, whole.address + index, maxCapacity);
    }

    @Override
    public final int capacity() {
        return capacity;
    }

    /**
     * Sets the number of bytes that the buffer uses.
     *
     * @param bytes no more than {@link #memoryBytes}.
     */
    protected final void use(int bytes) {
        capacity = bytes;
    }

    /** {@return the bytes of the memory that the buffer has, of which it uses its capacity} */
    protected abstract int memoryBytes();

    /** {@return the allocator whose memory it has} */
    public abstract RdmaByteBufAllocator allocator();

    /**
     * From now on the buffer is over the memory of another, of which it needs a reference. Copies the first bytes.
     *
     * @param other the buffer with the memory.
     * @param count bytes to copy.
     */
    protected final void moveTo(RegisteredByteBuf other, int count) {
        copyMemory(other, count);
        memory = other.memory;
        internal = null;
        offset = other.offset;
        address = other.address;
    }

    /**
     * Call before the buffer gets other memory.
     *
     * @param newCapacity in bytes, for the message.
     * @throws IllegalStateException if the buffer is pinned.
     */
    protected final void checkMayMove(int newCapacity) {
        if (isPinned()) {
            throw new IllegalStateException(this + " cannot get a capacity of " + newCapacity + ": it would move, and"
                    + " the device writes to its memory. Create it with this capacity, await the read, or close the"
                    + " exposed memory");
        }
    }

    /** Each buffer is over the other's memory afterwards. */
    final void exchangeMemory(RegisteredByteBuf other) {
        ByteBuffer ownMemory = memory;
        ByteBuffer ownInternal = internal;
        int ownOffset = offset;
        long ownAddress = address;
        memory = other.memory;
        internal = other.internal;
        offset = other.offset;
        address = other.address;
        other.memory = ownMemory;
        other.internal = ownInternal;
        other.offset = ownOffset;
        other.address = ownAddress;
    }

    /** Copies the first bytes to the other buffer, whatever the indices and references of the two are. */
    final void copyMemory(RegisteredByteBuf to, int count) {
        to.memory.put(to.offset, memory, offset, count);
    }

    // ---- properties ----

    @Override
    public ByteBuf unwrap() {
        return null;
    }

    @Override
    public boolean isDirect() {
        return true;
    }

    @Override
    public boolean isContiguous() {
        return true;
    }

    @Override
    public boolean hasArray() {
        return false;
    }

    @Override
    public boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public long memoryAddress() {
        ensureAccessible();
        return address;
    }

    // ---- single values; the caller has checked the index ----

    @Override
    protected byte _getByte(int index) {
        return BY_ADDRESS ? PlatformDependent.getByte(address + index) : memory.get(offset + index);
    }

    @Override
    protected short _getShort(int index) {
        return BY_ADDRESS ? Short.reverseBytes(PlatformDependent.getShort(address + index))
                : memory.getShort(offset + index);
    }

    @Override
    protected short _getShortLE(int index) {
        return BY_ADDRESS ? PlatformDependent.getShort(address + index)
                : Short.reverseBytes(memory.getShort(offset + index));
    }

    @Override
    protected int _getUnsignedMedium(int index) {
        return (_getByte(index) & 0xff) << 16 | _getShort(index + 1) & 0xffff;
    }

    @Override
    protected int _getUnsignedMediumLE(int index) {
        return _getByte(index) & 0xff | (_getShortLE(index + 1) & 0xffff) << 8;
    }

    @Override
    protected int _getInt(int index) {
        return BY_ADDRESS ? Integer.reverseBytes(PlatformDependent.getInt(address + index))
                : memory.getInt(offset + index);
    }

    @Override
    protected int _getIntLE(int index) {
        return BY_ADDRESS ? PlatformDependent.getInt(address + index)
                : Integer.reverseBytes(memory.getInt(offset + index));
    }

    @Override
    protected long _getLong(int index) {
        return BY_ADDRESS ? Long.reverseBytes(PlatformDependent.getLong(address + index))
                : memory.getLong(offset + index);
    }

    @Override
    protected long _getLongLE(int index) {
        return BY_ADDRESS ? PlatformDependent.getLong(address + index)
                : Long.reverseBytes(memory.getLong(offset + index));
    }

    @Override
    protected void _setByte(int index, int value) {
        if (BY_ADDRESS) {
            PlatformDependent.putByte(address + index, (byte) value);
        } else {
            memory.put(offset + index, (byte) value);
        }
    }

    @Override
    protected void _setShort(int index, int value) {
        if (BY_ADDRESS) {
            PlatformDependent.putShort(address + index, Short.reverseBytes((short) value));
        } else {
            memory.putShort(offset + index, (short) value);
        }
    }

    @Override
    protected void _setShortLE(int index, int value) {
        _setShort(index, Short.reverseBytes((short) value));
    }

    @Override
    protected void _setMedium(int index, int value) {
        _setByte(index, value >> 16);
        _setShort(index + 1, value);
    }

    @Override
    protected void _setMediumLE(int index, int value) {
        _setByte(index, value);
        _setShortLE(index + 1, value >> 8);
    }

    @Override
    protected void _setInt(int index, int value) {
        if (BY_ADDRESS) {
            PlatformDependent.putInt(address + index, Integer.reverseBytes(value));
        } else {
            memory.putInt(offset + index, value);
        }
    }

    @Override
    protected void _setIntLE(int index, int value) {
        _setInt(index, Integer.reverseBytes(value));
    }

    @Override
    protected void _setLong(int index, long value) {
        if (BY_ADDRESS) {
            PlatformDependent.putLong(address + index, Long.reverseBytes(value));
        } else {
            memory.putLong(offset + index, value);
        }
    }

    @Override
    protected void _setLongLE(int index, long value) {
        _setLong(index, Long.reverseBytes(value));
    }

    // ---- many bytes ----

    @Override
    public ByteBuf getBytes(int index, ByteBuf dst, int dstIndex, int count) {
        checkDstIndex(index, count, dstIndex, dst.capacity());
        if (dst instanceof RegisteredByteBuf other) {
            other.ensureAccessible();
            other.memory.put(other.offset + dstIndex, memory, offset + index, count);
        } else if (dst.hasArray()) {
            memory.get(offset + index, dst.array(), dst.arrayOffset() + dstIndex, count);
        } else if (dst.isDirect() && dst.nioBufferCount() == 1) {
            // Not the internal one: another thread may copy into another part of the same buffer.
            ByteBuffer to = dst.nioBuffer(dstIndex, count);
            to.put(to.position(), memory, offset + index, count);
        } else {
            dst.setBytes(dstIndex, nioBuffer(index, count));
        }
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, byte[] dst, int dstIndex, int count) {
        checkDstIndex(index, count, dstIndex, dst.length);
        memory.get(offset + index, dst, dstIndex, count);
        return this;
    }

    @Override
    public ByteBuf getBytes(int index, ByteBuffer dst) {
        int count = dst.remaining();
        checkIndex(index, count);
        dst.put(dst.position(), memory, offset + index, count).position(dst.position() + count);
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuf src, int srcIndex, int count) {
        checkSrcIndex(index, count, srcIndex, src.capacity());
        if (src instanceof RegisteredByteBuf other) {
            other.ensureAccessible();
            memory.put(offset + index, other.memory, other.offset + srcIndex, count);
        } else if (src.hasArray()) {
            memory.put(offset + index, src.array(), src.arrayOffset() + srcIndex, count);
        } else if (src.nioBufferCount() == 1) {
            ByteBuffer from = src.nioBuffer(srcIndex, count);
            memory.put(offset + index, from, from.position(), count);
        } else {
            src.getBytes(srcIndex, memory.slice(offset + index, count));
        }
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, byte[] src, int srcIndex, int count) {
        checkSrcIndex(index, count, srcIndex, src.length);
        memory.put(offset + index, src, srcIndex, count);
        return this;
    }

    @Override
    public ByteBuf setBytes(int index, ByteBuffer src) {
        int count = src.remaining();
        checkIndex(index, count);
        memory.put(offset + index, src, src.position(), count);
        src.position(src.position() + count);
        return this;
    }

    @Override
    public ByteBuf copy(int index, int count) {
        checkIndex(index, count);
        return alloc().directBuffer(count, maxCapacity()).writeBytes(this, index, count);
    }

    // ---- as NIO ----

    @Override
    public int nioBufferCount() {
        return 1;
    }

    @Override
    public ByteBuffer nioBuffer(int index, int count) {
        checkIndex(index, count);
        return memory.slice(offset + index, count);
    }

    /**
     * For one thread at a time, such as the one that writes to a socket. Without Unsafe Netty's own buffers copy
     * through it, too, and several threads may copy; so everybody gets another one then.
     */
    @Override
    public ByteBuffer internalNioBuffer(int index, int count) {
        checkIndex(index, count);
        if (!PlatformDependent.hasUnsafe()) {
            return memory.slice(offset + index, count);
        }
        if (internal == null) {
            internal = memory.duplicate();
        }
        return internal.clear().position(offset + index).limit(offset + index + count);
    }
}
