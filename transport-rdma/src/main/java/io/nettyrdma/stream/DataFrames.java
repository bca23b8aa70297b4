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
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.FileRegion;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;

import java.io.IOException;

/**
 * Turns buffers and file regions into DATA frames. Small or unregistered bytes are copied, those of many messages into
 * one frame. Large registered ones are gathered: each frame holds a reference to the message until its completion.
 *
 * <pre>
 *   messages   [ 64 B ][ 64 B ][ 20 KiB, registered                  ][ 64 B ]
 *   frames     | copied  copied gathered | gathered | gathered  copied |
 * </pre>
 */
final class DataFrames {

    private final FramePath path;
    private final OutgoingFrame frame;
    private final OutboundMessages outbound;
    private final RegisteredMemory registered;
    private final int zeroCopyThreshold;
    private final StreamMetrics metrics;
    private ByteBuf heldByFrame;

    /** The readable bytes of a partly sent buffer when its first byte was sent, wherever its indices are now. */
    private int bufferIndex;
    private int bufferLength;
    /** A region had bytes that no frame had room for. */
    private boolean regionIsCut;
    private int last = -1;
    /** Bytes that wait in the outbound buffer, or more: what follows a small message may share its frame. */
    private int pending;

    /**
     * @param registered the memory that can be gathered.
     * @param zeroCopyThreshold bytes from which registered memory is gathered, if the path can.
     */
    DataFrames(FramePath path, OutboundMessages outbound, RegisteredMemory registered, int zeroCopyThreshold,
               StreamMetrics metrics) {
        this.path = path;
        this.outbound = outbound;
        this.registered = registered;
        this.zeroCopyThreshold = path.canGather() ? zeroCopyThreshold : Integer.MAX_VALUE;
        this.metrics = metrics;
        frame = path.frame();
    }

    /** A flush begins, of so many bytes, or fewer. */
    void begin(long pendingBytes) {
        pending = (int) Math.min(pendingBytes, Integer.MAX_VALUE - FrameHeader.SIZE);
    }

    /** The number of the last frame, or request of a remote operation. */
    int last() {
        return last;
    }

    /** A remote operation has followed, with this last request. */
    void followedBy(int number) {
        if (number - last > 0) {
            last = number;
        }
    }

    /**
     * Sends the rest of the present message, as far as there is room. Its end may be in a frame that is still begun.
     *
     * @return READY if it is sent to its end.
     */
    FramePath.Room send(ByteBuf message) {
        int sent = (int) outbound.sentOf();
        if (sent == 0) {
            bufferIndex = message.readerIndex();
            bufferLength = message.readableBytes();
        } else if (bufferLength > message.capacity() - bufferIndex) {
            throw new IndexOutOfBoundsException(message + " was cut after " + sent + " of its " + bufferLength
                    + " bytes were sent");
        }
        int index = bufferIndex + sent;
        int length = bufferLength - sent;
        if (length < zeroCopyThreshold) {
            return copy(message, index, length);
        }
        return message instanceof CompositeByteBuf composite
                ? sendComponents(composite, index, length) : sendPart(message, index, length);
    }

    private FramePath.Room sendComponents(CompositeByteBuf message, int index, int length) {
        int remaining = length;
        int from = index;
        for (int i = message.toComponentIndex(index); remaining > 0; i++) {
            ByteBuf part = message.internalComponent(i);
            int offset = from - message.toByteIndex(i);
            int count = Math.min(remaining, part.capacity() - offset);
            if (count > 0) {
                FramePath.Room room = sendPart(part, offset, count);
                if (room != FramePath.Room.READY) {
                    return room;
                }
            }
            from += count;
            remaining -= count;
        }
        return FramePath.Room.READY;
    }

    private FramePath.Room sendPart(ByteBuf part, int index, int length) {
        RegisteredByteBuf owner = length < zeroCopyThreshold ? null : RegisteredByteBuf.owner(part, index, length);
        if (owner != null) {
            long address = part.memoryAddress() + index;
            long key = registered.localKey(address, length);
            if (key != RegisteredMemory.NOT_REGISTERED) {
                return gather(owner, part, address, length, (int) key);
            }
        }
        return copy(part, index, length);
    }

    private FramePath.Room gather(RegisteredByteBuf owner, ByteBuf part, long address, int length, int key) {
        int sent = 0;
        while (sent < length) {
            FramePath.Room room = beginFrame(0);
            if (room != FramePath.Room.READY) {
                return room;
            }
            if (!frame.canGather()) {
                endFrame();
                continue;
            }
            // First, because a wrapper may throw: a frame must not refer to memory that it does not hold.
            if (heldByFrame != part) {
                path.hold(owner, part);
                heldByFrame = part;
            }
            int count = frame.gather(address + sent, length - sent, key);
            outbound.gathered(outbound.sentOf() + count);
            sent += count;
        }
        return FramePath.Room.READY;
    }

    private FramePath.Room copy(ByteBuf from, int index, int length) {
        int sent = 0;
        while (sent < length) {
            FramePath.Room room = beginFrame(pending);
            if (room != FramePath.Room.READY) {
                return room;
            }
            int count = frame.copy(from, index + sent, length - sent);
            if (count == 0) {
                endFrame();
            }
            outbound.copied(outbound.sentOf() + count);
            sent += count;
        }
        return FramePath.Room.READY;
    }

    /**
     * As for a buffer. A region is complete when it says so, as with TCP, unless it has bytes that did not fit into the
     * last frame.
     */
    FramePath.Room send(FileRegion region) throws IOException {
        while (regionIsCut || region.transferred() < region.count()) {
            FramePath.Room room = beginFrame(waiting(region));
            if (room != FramePath.Room.READY) {
                return room;
            }
            if (frame.roomToCopy() == 0) {
                endFrame();
                continue;
            }
            long before = region.transferred();
            int bytes = frame.copy(region);
            regionIsCut = frame.isCut();
            if (bytes == 0 && region.transferred() == before && before < region.count()) {
                throw new IOException(region + " gave no bytes at " + before + " of " + region.count()
                        + ": is the file shorter?");
            }
            outbound.copied(region.transferred());
        }
        return FramePath.Room.READY;
    }

    /** Netty does not count the bytes of regions among those that wait. */
    private int waiting(FileRegion region) {
        return (int) Math.max(pending, Math.min(region.count() - region.transferred(),
                Integer.MAX_VALUE - FrameHeader.SIZE));
    }

    /** @param copies as of {@link FramePath#begin}. */
    private FramePath.Room beginFrame(int copies) {
        return frame.isBegun() ? FramePath.Room.READY : path.begin(FrameType.DATA, copies);
    }

    /** Puts the frame that is begun into the batch, or drops it if it has no payload. */
    void endFrame() {
        if (!frame.isBegun()) {
            return;
        }
        int bytes = frame.payload();
        heldByFrame = null;
        if (bytes == 0) {
            path.drop();
            return;
        }
        if (path.isInline()) {
            metrics.sentInline(bytes);
        } else {
            int copied = frame.copied();
            metrics.sent(copied, bytes - copied);
        }
        last = path.end(FrameType.DATA);
    }
}
