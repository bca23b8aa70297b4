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
package io.nettyrdma.testsuite.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.Wrapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * As over UDP, an application may go on with a buffer whose part it has sent. Here the device reads it later: each time
 * that it repeats a datagram whose recipient was not ready.
 */
@Tag("device")
class MovingDatagramTest {

    /** As many as are sent in place. */
    private static final int SIZE = 2_048;
    private static final int ROUNDS = 5;

    private final byte[] sent = new byte[SIZE];
    private final Inbox inbox = new Inbox();
    private EfaEnds ends;
    private EfaDatagramChannel sender;
    private EfaDatagramChannel receiver;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        SoftHca.assumeItIsTheDevice();
        Seeds.newRandom().nextBytes(sent);
        ends = new EfaEnds();
        sender = ends.bind(new Inbox(), bootstrap -> bootstrap.option(EfaChannelOption.RNR_RETRY_COUNT, 7));
        receiver = ends.bind(inbox);
        EfaEnds.prepare(sender, receiver);
    }

    @AfterEach
    void end() throws Exception {
        SoftHca.noFaults();
        if (ends != null) {
            ends.close();
        }
    }

    @Test
    void sliceIsSentWhileItsBufferGrows() throws Exception {
        assertArrives(log -> {
            ChannelFuture written = write(log.retainedSlice(0, SIZE));
            log.capacity(16 * SIZE);
            return written;
        });
    }

    @Test
    void sliceIsSentWhileItsBufferShrinks() throws Exception {
        assertArrives(log -> {
            ChannelFuture written = write(log.retainedSlice(0, SIZE));
            log.clear().capacity(10);
            return written;
        });
    }

    @Test
    void compositeOfOneIsSentWhileItLosesItsComponent() throws Exception {
        assertArrives(log -> {
            CompositeByteBuf composite = sender.alloc().compositeDirectBuffer()
                    .addComponent(true, sender.alloc().directBuffer().writeBytes(sent));
            ChannelFuture written = write(composite.retain());
            composite.removeComponent(0);
            composite.release();
            return written;
        });
    }

    /** A reference to the wrapper keeps nothing. */
    @ParameterizedTest
    @EnumSource
    void wrapperIsSentWhileItsBufferGrows(Wrapper kind) throws Exception {
        assertArrives(log -> {
            ChannelFuture written = write(kind.of(log));
            log.capacity(16 * SIZE);
            return written;
        });
    }

    private ChannelFuture write(ByteBuf content) {
        return sender.writeAndFlush(to(receiver, content));
    }

    /** @param sending gets a buffer with the bytes, on the loop. Memory that it gives back is overwritten at once. */
    private void assertArrives(Function<ByteBuf, ChannelFuture> sending) throws Exception {
        for (int round = 1; round <= ROUNDS; round++) {
            SoftHca.faults(round, "rnr=1");
            ChannelFuture written = sender.eventLoop().submit(() -> {
                ByteBuf log = sender.alloc().directBuffer(SIZE).writeBytes(sent);
                ChannelFuture write = sending.apply(log);
                log.release();
                overwriteFreeMemory();
                return write;
            }).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            SoftHca.noFaults();
            written.sync();
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
            assertThat(datagram.content()).as("round %d", round).isEqualTo(Unpooled.wrappedBuffer(sent));
            datagram.release();
        }
    }

    private static void overwriteFreeMemory() {
        ByteBuf[] taken = new ByteBuf[16];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE).writeZero(SIZE);
        }
        for (ByteBuf each : taken) {
            each.release();
        }
    }
}
