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

import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.memory.PostBatches;
import io.nettyrdma.memory.SlotPool;

/**
 * The memory that a stream uses. The streams of one loop on one device share it.
 *
 * @param receives slots of at least {@link StreamConfig#receiveBuffer} bytes, with room for a frame's header.
 * @param staging slots in which frames are assembled. Space beyond the size of the peer's receives is not used.
 * @param batches for posting work requests.
 * @param registered memory that need not be copied.
 * @param reported the allocator that a received buffer returns from {@link io.netty.buffer.ByteBuf#alloc}.
 */
public record StreamMemory(SlotPool receives, SlotPool staging, PostBatches batches, RegisteredMemory registered,
                           ByteBufAllocator reported) {
}
