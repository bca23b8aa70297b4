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

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A device whose reads need memory that the peer may write to, as on iWARP: reads are refused, and writes work. Any
 * device is made to be such a one.
 */
@Tag("device")
class LocalReadsTest {

    private static final int BYTES = 64;

    private final LeakWatch leaks = new LeakWatch();
    private final String before = System.getProperty(Fallbacks.LOCAL_READS.property());

    @BeforeEach
    void force() {
        System.setProperty(Fallbacks.LOCAL_READS.property(), "false");
    }

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(Fallbacks.LOCAL_READS.property());
        } else {
            System.setProperty(Fallbacks.LOCAL_READS.property(), before);
        }
        leaks.close();
    }

    @Test
    void readIsRefusedAndTheNextWriteSucceeds() throws Exception {
        ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(BYTES, BYTES).setZero(0, BYTES);
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new,
                bootstrap -> bootstrap.childOption(RdmaChannelOption.REMOTE_ACCESS, true))) {
            RdmaChannel client = pair.connect(new Recorder());
            ExposedMemory exposed = pair.acceptedAndActive()
                    .expose(memory, MemoryAccess.REMOTE_READ, MemoryAccess.REMOTE_WRITE).sync().getNow();
            ByteBuf into = client.alloc().directBuffer(BYTES, BYTES);
            assertThat(client.writeAndFlush(new RdmaRead(exposed.remote(), into)).await().cause())
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("no reads into ordinary buffers: let the peer write");
            assertThat(into.refCnt()).isZero();
            ByteBuf data = client.alloc().directBuffer(BYTES, BYTES).writeZero(BYTES).setByte(0, 7);
            client.writeAndFlush(new RdmaWrite(data, exposed.remote())).sync();
            if (client.device().transport() == RdmaDeviceInfo.Transport.IWARP) {
                // A write completes there before the peer's memory changes.
                Deadline.standard().until("the write has arrived", () -> memory.getByte(0) == 7);
            }
            assertThat(memory.getByte(0)).isEqualTo((byte) 7);
        }
        memory.release();
    }
}
