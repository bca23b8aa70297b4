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

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The frame that a {@link FramePath} has begun: its payload is copied, gathered, or both. A path has one, which it uses
 * again for each frame.
 *
 * <p>Belongs to the event loop.
 */
interface OutgoingFrame {

    /** Whether a frame is begun, and neither ended nor dropped. */
    boolean isBegun();

    /** Bytes of payload. */
    int payload();

    /** Bytes of payload that were copied. */
    int copied();

    /** Bytes of payload that can still be copied. */
    int roomToCopy();

    /** Copies as much as there is room for. Returns the number of bytes. */
    int copy(ByteBuf from, int index, int bytes);

    /** Copies as much as there is room for. Returns the bytes that the region wrote, whatever it reports; may be 0. */
    int copy(FileRegion from) throws IOException;

    /** Whether the last copied region had more bytes than there was room for. */
    boolean isCut();

    /** Copies all of the bytes. There must be room for them. */
    void put(ByteBuffer bytes);

    /** Copies 8 bytes, big-endian. There must be room for them. */
    void putLong(long value);

    /** Whether there is room to gather at least a byte. */
    boolean canGather();

    /**
     * Gathers as many bytes as there is room for. {@link FramePath#hold} comes first, because only what the frame holds
     * stays allocated.
     *
     * @return the number of bytes.
     */
    int gather(long address, int bytes, int localKey);
}
