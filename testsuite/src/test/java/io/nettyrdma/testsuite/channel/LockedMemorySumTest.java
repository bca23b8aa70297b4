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
package io.nettyrdma.testsuite.channel;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.jni.NativeLibrary;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Idle connections register what the table in docs/tuning.md says. */
@Tag("device")
class LockedMemorySumTest {

    /** The more, the less a chunk matters. A kernel's device takes longer for each. */
    private static final int CONNECTIONS = NativeLibrary.isSoftware() ? 400 : 150;
    /** Each connection has both ends here. */
    private static final int ENDS = 2 * CONNECTIONS;
    private static final int LOOPS = 2;
    private static final int CHUNK = 1 << 20;
    /** 14 receives of 1 KiB with their headers, a slot for frames, and a part of what slabs do not use. */
    private static final int BYTES_OF_AN_END = (16 << 10) + 512;

    @Test
    void idleConnectionsRegisterWhatThePageSays() throws Exception {
        RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().chunkBytes(CHUNK).build();
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator))) {
            for (int i = 0; i < CONNECTIONS; i++) {
                pair.connect(new ChannelInboundHandlerAdapter(),
                        bootstrap -> bootstrap.option(ChannelOption.ALLOCATOR, allocator));
            }
            long chunks = allocator.metric().registeredBytes() / CHUNK;
            assertThat(chunks).isBetween((long) ENDS * (BYTES_OF_AN_END - 1024) / CHUNK,
                    (long) ENDS * BYTES_OF_AN_END / CHUNK + LOOPS);
        }
    }
}
