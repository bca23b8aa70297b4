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
package io.nettyrdma.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.stream.StreamMemory;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDevice;

import java.io.IOException;

/** What a channel's options mean for the stream of its connection, on the device that it got. */
final class ConnectionSetup {

    /** A common limit of adapters; each takes memory of the device. */
    private static final int MOST_READS = 16;

    private ConnectionSetup() {
    }

    /** The configured settings, limited to what the device has: a shorter queue makes a stream slower, not wrong. */
    static StreamConfig settings(LinkConfig config, LoopDevice on) throws IOException {
        RdmaDevice device = on.device();
        int initial = config.initialWindow();
        StreamConfig receives = config.receiveBuffer() == LinkConfig.FOLLOWS_TRAFFIC
                ? StreamConfig.DEFAULT.withMaxReceiveBuffer(config.maxReceiveBuffer())
                : StreamConfig.DEFAULT.withReceiveBuffer(config.receiveBuffer());
        return receives
                .withWindow(initial, Math.max(initial, config.maxWindow()))
                .withSendQueue(config.sendQueueDepth())
                .withZeroCopyThreshold(config.zeroCopyThreshold())
                .withRemoteAccess(config.allowsRemoteAccess(), on.longestMessage())
                .limitedTo(device.limits(), device.capabilities());
    }

    /** Before the address is resolved, or the request accepted. */
    static void setAckTimeout(CmId id, LinkConfig config) throws IOException {
        if (config.ackTimeoutExponent() != 0) {
            id.ackTimeout(config.ackTimeoutExponent());
        }
    }

    /** What the peer may do with memory whose key it has. */
    static MemoryAccess[] peersAccess(LinkConfig config, RdmaDevice device) throws IOException {
        if (!config.allowsRemoteAccess()) {
            return new MemoryAccess[0];
        }
        return device.capabilities().atomics()
                ? new MemoryAccess[] { MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ, MemoryAccess.REMOTE_ATOMIC }
                : new MemoryAccess[] { MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ };
    }

    /**
     * Reads and atomics in flight: those of the peer only if it may do any. Both ends use the lower of their numbers.
     */
    static CmConnectionParameters reads(LinkConfig config, RdmaDevice device) {
        int in = config.allowsRemoteAccess() ? Math.min(MOST_READS, device.limits().readsIn()) : 1;
        return CmConnectionParameters.DEFAULT.withReads(Math.max(1, in),
                Math.max(1, Math.min(MOST_READS, device.limits().readsOut())));
    }

    /**
     * Receives and sends have slots of the same sizes, and so share one pool. Channels with a foreign allocator take
     * their slots from the default one, and copy.
     */
    static StreamMemory memory(LinkConfig config, LoopDevice device, StreamConfig settings) throws IOException {
        RdmaByteBufAllocator allocator = config.allocator() instanceof RdmaByteBufAllocator ours ? ours
                : RdmaByteBufAllocator.DEFAULT;
        SlotPool pool = device.pool(allocator, FrameHeader.SIZE, settings.receiveSizes());
        return new StreamMemory(pool, pool, device.batches(), device.index(allocator),
                reported(config.allocator()));
    }

    /** What {@code alloc()} of a buffer read from a socket would return: some allocators hand out another's buffers. */
    private static ByteBufAllocator reported(ByteBufAllocator allocator) {
        if (allocator instanceof RdmaByteBufAllocator) {
            return allocator;
        }
        ByteBuf sample;
        try {
            sample = allocator.ioBuffer();
        } catch (OutOfMemoryError e) {
            // A connection that only sends needs no buffer of this allocator.
            return allocator;
        }
        try {
            return sample.alloc();
        } finally {
            sample.release();
        }
    }
}
