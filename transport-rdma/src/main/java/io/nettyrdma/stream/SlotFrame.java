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
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.verbs.SendBatch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * The frame that is assembled in a staging slot: its header and copied bytes are there. Memory that is gathered has
 * SGEs of its own between them.
 *
 * <pre>
 *   slot     | header | copied | copied |
 *                |        |        |
 *   SGEs     [ header, copied ][ a buffer of the application ][ copied ]
 * </pre>
 */
final class SlotFrame implements OutgoingFrame, WritableByteChannel {

    private static final int NO_SLOT = -1;

    private final SlotPool staging;
    /** Bytes of the peer's receive for this frame, as far as this device can send as many. */
    private int maxLength;
    private final long[] addresses;
    private final int[] lengths;
    private final int[] keys;

    private int slot = NO_SLOT;
    /** Contains the slot, from {@link #start} on. */
    private ByteBuffer memory;
    private int start;
    /** Bytes of the slot. */
    private int room;
    /** Used bytes of the slot. */
    private int used;
    private int sges;
    private int length;
    private boolean endsInSlot;
    /** How many bytes {@link #write} may still take. */
    private int writable;
    private boolean cut;

    /** @param maxSges SGEs of one work request. */
    SlotFrame(SlotPool staging, int maxSges) {
        this.staging = staging;
        addresses = new long[maxSges];
        lengths = new int[maxSges];
        keys = new int[maxSges];
    }

    @Override
    public boolean isBegun() {
        return slot != NO_SLOT;
    }

    int slot() {
        return slot;
    }

    /**
     * Begins a frame in a slot, which belongs to the frame until {@link #end}.
     *
     * @param longest bytes that it may have, with its header.
     */
    void begin(int newSlot, int longest) {
        slot = newSlot;
        memory = staging.buffer(newSlot);
        start = staging.offset(newSlot);
        maxLength = longest;
        room = staging.slotSize(newSlot);
        used = 0;
        sges = 0;
        length = 0;
        endsInSlot = false;
        addCopied(FrameHeader.SIZE);
    }

    @Override
    public int payload() {
        return length - FrameHeader.SIZE;
    }

    /** Bytes of the frame, including the header. */
    int length() {
        return length;
    }

    @Override
    public int copied() {
        return used - FrameHeader.SIZE;
    }

    /** Whether the whole frame is in the slot. */
    boolean isCopied() {
        return length == used;
    }

    @Override
    public int copy(ByteBuf from, int index, int bytes) {
        int count = Math.min(bytes, roomToCopy());
        if (count > 0) {
            from.getBytes(index, roomFor(count));
            addCopied(count);
        }
        return count;
    }

    @Override
    public int copy(FileRegion from) throws IOException {
        int before = length;
        cut = false;
        writable = roomToCopy();
        try {
            from.transferTo(this, from.transferred());
        } finally {
            // A region that keeps this channel and writes later must not write into another frame.
            writable = 0;
        }
        return length - before;
    }

    @Override
    public boolean isCut() {
        return cut;
    }

    @Override
    public void put(ByteBuffer bytes) {
        int count = bytes.remaining();
        roomFor(count).put(bytes);
        addCopied(count);
    }

    @Override
    public void putLong(long value) {
        roomFor(Long.BYTES).putLong(value);
        addCopied(Long.BYTES);
    }

    @Override
    public boolean canGather() {
        return length < maxLength && sges < addresses.length;
    }

    @Override
    public int gather(long address, int bytes, int localKey) {
        int count = Math.min(bytes, maxLength - length);
        addSge(address, count, localKey);
        endsInSlot = false;
        return count;
    }

    @Override
    public int roomToCopy() {
        return endsInSlot || sges < addresses.length
                ? Math.min(maxLength - length, room - used) : 0;
    }

    /** Writes the header, and adds the SGEs to the batch's present work request. */
    void write(SendBatch batch, FrameType type, CreditDebt debt) {
        FrameHeader.write(memory.clear(), start, type, payload(),
                debt.toAdvertise(), debt.toAnnounce());
        for (int i = 0; i < sges; i++) {
            batch.sge(addresses[i], lengths[i], keys[i]);
        }
    }

    /** Ends the frame. The slot then belongs to the caller. */
    void end() {
        slot = NO_SLOT;
        memory = null;
    }

    /** Called by a file region. */
    @Override
    public int write(ByteBuffer from) {
        int count = Math.min(from.remaining(), writable);
        cut |= count < from.remaining();
        if (count > 0) {
            ByteBuffer part = from.duplicate();
            part.limit(part.position() + count);
            roomFor(count).put(part);
            from.position(from.position() + count);
            addCopied(count);
            writable -= count;
        }
        return count;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    /** A region that closes its target closes nothing. */
    @Override
    public void close() {
        writable = 0;
    }

    private ByteBuffer roomFor(int bytes) {
        int at = start + used;
        return memory.clear().limit(at + bytes).position(at);
    }

    private void addCopied(int bytes) {
        if (endsInSlot) {
            lengths[sges - 1] += bytes;
            length += bytes;
        } else {
            addSge(staging.address(slot) + used, bytes, staging.localKey(slot));
            endsInSlot = true;
        }
        used += bytes;
    }

    private void addSge(long address, int bytes, int localKey) {
        addresses[sges] = address;
        lengths[sges] = bytes;
        keys[sges] = localKey;
        sges++;
        length += bytes;
    }
}
