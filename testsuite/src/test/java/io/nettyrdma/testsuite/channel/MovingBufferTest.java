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
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.Wrapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application may go on with a buffer of which it has sent a part: append to it, or drop what it needs no more. Over
 * TCP the kernel has copied the part by then. Here the device reads it later, from where it was.
 */
@Tag("device")
class MovingBufferTest {

    /** With 16 of them the peer has room for all at once. */
    private static final int RECEIVE = 8192;
    private static final int SIZE = 64 << 10;
    private static final int ROUNDS = 5;

    private final byte[] sent = new byte[SIZE];
    private final LeakWatch leaks = new LeakWatch();

    @BeforeEach
    void needsFaults() {
        SoftHca.assumeItIsTheDevice();
        Random random = Seeds.newRandom();
        random.nextBytes(sent);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        SoftHca.noFaults();
        leaks.close();
    }

    /** A log, for instance. */
    @Test
    void sliceIsSentWhileItsBufferGrows() throws Exception {
        assertArrives(channel -> {
            ByteBuf log = channel.alloc().directBuffer(SIZE).writeBytes(sent);
            ChannelFuture written = channel.writeAndFlush(log.retainedSlice());
            for (int size = SIZE; size < 16 * SIZE; size *= 2) {
                log.writeZero(size);
            }
            assertThat(log.slice(0, SIZE)).isEqualTo(Unpooled.wrappedBuffer(sent));
            written.addListener(future -> log.release());
        });
    }

    @Test
    void sliceIsSentWhileItsBufferShrinks() throws Exception {
        assertArrives(channel -> {
            ByteBuf buffer = channel.alloc().directBuffer(SIZE).writeBytes(sent);
            channel.writeAndFlush(buffer.retainedSlice());
            buffer.clear().capacity(10);
            buffer.release();
        });
    }

    @Test
    void compositeIsSentWhileItLosesItsComponents() throws Exception {
        assertArrives(channel -> {
            CompositeByteBuf composite = channel.alloc().compositeDirectBuffer();
            for (int at = 0; at < SIZE; at += SIZE / 4) {
                composite.addComponent(true, channel.alloc().directBuffer().writeBytes(sent, at, SIZE / 4));
            }
            channel.writeAndFlush(composite.retain());
            composite.removeComponents(0, 4);
            composite.release();
        });
    }

    @Test
    void compositeOfOneIsSentWhileItLosesItsComponent() throws Exception {
        assertArrives(channel -> {
            CompositeByteBuf composite = channel.alloc().compositeDirectBuffer();
            composite.addComponent(true, channel.alloc().directBuffer().writeBytes(sent));
            channel.writeAndFlush(composite.retain());
            composite.removeComponent(0);
            composite.release();
        });
    }

    /** A reference to the wrapper keeps nothing. */
    @ParameterizedTest
    @EnumSource
    void wrapperIsSentWhileItsBufferGrows(Wrapper kind) throws Exception {
        assertArrives(channel -> {
            ByteBuf log = channel.alloc().directBuffer(SIZE).writeBytes(sent);
            ChannelFuture written = channel.writeAndFlush(kind.of(log));
            log.writeZero(SIZE);
            written.addListener(future -> log.release());
        });
    }

    /** @param sending runs on the channel's loop. Memory that it gives back is overwritten at once. */
    private void assertArrives(Consumer<RdmaChannel> sending) throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            SameBytes arrived = new SameBytes(sent);
            try (ChannelPair pair = new ChannelPair(() -> arrived,
                    bootstrap -> bootstrap.childOption(RdmaChannelOption.RECEIVE_BUFFER_SIZE, RECEIVE))) {
                RdmaChannel channel = pair.connect(new Recorder());
                SoftHca.faults(round, "begin=1:5ms");
                channel.eventLoop().submit(() -> {
                    sending.accept(channel);
                    overwriteFreeMemory();
                }).sync();
                Deadline.standard().until("the bytes", () -> arrived.count() == SIZE);
                assertThat(arrived.firstDifference()).as("round %d", round).isEqualTo(-1);
            }
        }
    }

    private static void overwriteFreeMemory() {
        for (int size = 16; size <= SIZE; size *= 4) {
            ByteBuf[] taken = new ByteBuf[8];
            for (int i = 0; i < taken.length; i++) {
                taken[i] = RdmaByteBufAllocator.DEFAULT.directBuffer(size).writeZero(size);
            }
            Arrays.stream(taken).forEach(ByteBuf::release);
        }
    }
}
