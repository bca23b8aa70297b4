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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.SoftHca;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A promise that ends gives the memory of its message back to the application. Bytes that the device has not read by
 * then it does not read.
 */
@Tag("device")
class HandedBackMemoryTest {

    private static final int SIZE = 4000;
    private static final byte OURS = 'A';
    private static final byte ANOTHERS = 'X';

    /**
     * <pre>
     *   the channel's loop        its device
     *   ------------------        ----------
     *   post A, abort
     *     A fails
     *     its memory gets X
     *                             would read A's memory now: X
     *                             reads the byte of another connection, which was posted later
     * </pre>
     */
    @Test
    void bufferReleasedByAnAbortIsNotSent() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChannelPair pair = new ChannelPair(ChannelInboundHandlerAdapter::new);
             RawPeer peer = RawPeer.heard(pair.address())) {
            RdmaChannel aborting = pair.accepted();
            try (RawPeer other = RawPeer.heard(pair.address())) {
                RdmaChannel later = pair.accepted();
                SoftHca.faults(1, "begin=1:50ms");
                // Succeeds where the device has one SGE: then the bytes were copied.
                aborting.eventLoop().submit(() -> writeAndAbort(aborting)).sync().getNow().await();
                later.writeAndFlush(later.alloc().directBuffer().writeByte(OURS));
                other.next(FrameType.DATA);
            }
            assertThat(peer.arrived()).allSatisfy(frame -> assertThat(frame).doesNotContain(ANOTHERS));
        } finally {
            SoftHca.noFaults();
        }
    }

    private static byte[] bytes(byte value) {
        byte[] bytes = new byte[SIZE];
        Arrays.fill(bytes, value);
        return bytes;
    }

    private static ChannelFuture writeAndAbort(RdmaChannel channel) {
        ByteBuf memory = channel.alloc().directBuffer(SIZE);
        memory.writeBytes(bytes(OURS));
        ChannelFuture written = channel.writeAndFlush(memory.retainedDuplicate());
        written.addListener(failed -> {
            memory.setBytes(0, bytes(ANOTHERS));
            memory.release();
        });
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
        return written;
    }
}
