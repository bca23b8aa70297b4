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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Makes a {@code channelRead} bring a whole frame, in the buffer that received it, unless the user sets another
 * allocator. A guess that is smaller than a frame would cut it into slices.
 */
final class WholeFrames extends DefaultMaxMessagesRecvByteBufAllocator {

    @Override
    @SuppressWarnings("deprecation")
    public Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return Integer.MAX_VALUE;
            }

            /** The transport reads into no such buffer. A caller that allocates one gets the default size. */
            @Override
            public ByteBuf allocate(ByteBufAllocator alloc) {
                return alloc.ioBuffer();
            }
        };
    }
}
