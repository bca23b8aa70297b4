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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.RdmaByteBufAllocator;

/**
 * What a channel wants of its queue pair, and after that is open, what it has.
 *
 * @param queueKey what a datagram must carry to be received.
 * @param sends datagrams in flight at most.
 * @param receives datagrams that are posted or unread at most.
 * @param peers address handles at most.
 * @param immediates whether the immediates of peers' writes are wanted. If not, they are refused.
 * @param serviceLevel of the queue pair.
 * @param zeroCopyThreshold bytes from which the device reads a datagram in place, if it can.
 * @param allocator what {@code alloc()} of a received buffer returns.
 * @param slots the allocator of the memory of receives and copies.
 * @since 0.1.0
 */
@UnstableApi
public record DatagramConfig(int queueKey, int sends, int receives, int peers, boolean immediates, int serviceLevel,
                             int zeroCopyThreshold, ByteBufAllocator allocator, RdmaByteBufAllocator slots) {

    DatagramConfig granted(int grantedSends, int grantedReceives, int grantedPeers, int level) {
        return new DatagramConfig(queueKey, grantedSends, grantedReceives, grantedPeers, immediates, level,
                zeroCopyThreshold, allocator, slots);
    }
}
