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
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.stream.StreamConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.zip.CRC32C;

import static org.assertj.core.api.Assertions.assertThat;

/** The device registers no memory for larger receives: the connection goes on with those that it has. */
@Tag("device")
class RefusedGrowthTest {

    private static final int[] SIZES = StreamConfig.DEFAULT
            .limitedTo(TestDevice.get().device().limits(), TestDevice.get().capabilities()).receiveSizes();
    private static final int LARGEST = SIZES[SIZES.length - 1] - FrameHeader.SIZE;
    private static final int BURST = 4 << 20;

    /** A chunk has room for the two smaller sizes of one connection, and not for the largest. */
    private final RdmaByteBufAllocator allocator = RdmaByteBufAllocator.builder().chunkBytes(1 << 20).build();
    private final Reader reader = new Reader();

    @BeforeEach
    void assumeFaults() {
        SoftHca.assumeItIsTheDevice();
    }

    @AfterEach
    void endFaults() throws Exception {
        SoftHca.noFaults();
        assertThat(allocator.metric().inUseBytes()).as("memory that is not given back").isZero();
    }

    @Test
    void aConnectionKeepsItsReceivesIfLargerOnesAreNotRegistered() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> reader,
                bootstrap -> bootstrap.childOption(ChannelOption.ALLOCATOR, allocator))) {
            Channel client = pair.connect(new Recorder());
            send(client, 1);
            SoftHca.faults(1, "register=1");
            send(client, BURST);
            assertThat(reader.room).as("bytes that the longest frame may have").isLessThan(LARGEST);
            assertThat(allocator.metric().registrationRefusals()).isPositive();
            assertThat(pair.sum(RdmaCounter.WINDOWS_HELD_BACK)).isPositive();
        }
    }

    /** Sends bytes, and waits until they have been read as they are. */
    private void send(Channel client, int count) throws Exception {
        byte[] bytes = new byte[count];
        Seeds.newRandom().nextBytes(bytes);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        reader.begin();
        client.writeAndFlush(Unpooled.wrappedBuffer(bytes));
        Deadline.standard().until("all bytes", () -> reader.count >= count);
        assertThat(reader.count).isEqualTo(count);
        assertThat(reader.checksum).isEqualTo(checksum.getValue());
    }

    /** Reads everything. */
    private static final class Reader extends ChannelInboundHandlerAdapter {

        private final CRC32C digest = new CRC32C();
        private volatile int room;
        private volatile long checksum;
        private volatile int count;

        /** Forgets everything. Called while nothing arrives. */
        void begin() {
            digest.reset();
            room = 0;
            count = 0;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            digest.update(buffer.nioBuffer());
            checksum = digest.getValue();
            room = Math.max(room, buffer.capacity());
            count += buffer.readableBytes();
            buffer.release();
        }
    }
}
