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
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.FaultSeeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicIntegerArray;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A network and peers at their worst: a datagram never comes twice, and comes if its promise succeeds. */
@Tag("device")
class EfaFaultsTest {

    private static final int COUNT = 2_000;

    private final AtomicIntegerArray arrivals = new AtomicIntegerArray(COUNT);
    private EfaEnds ends;

    @BeforeEach
    void begin() {
        EfaEnds.assumeEfa();
        SoftHca.assumeItIsTheDevice();
        ends = new EfaEnds();
    }

    @AfterEach
    void end() throws Exception {
        SoftHca.noFaults();
        if (ends != null) {
            ends.close();
        }
    }

    /** Without an expectation none should fail, but the device gives up after a time, and the machine may be slow. */
    @ParameterizedTest
    @CsvSource({
        "drop=0.1, 7,",
        "delay=0.2:2ms, 7,",
        "reorder=1:64, 7,",
        "rnr=0.5, 7,",
        "rnr=0.5, 0, NOT_READY",
        "unresponsive=0.01, 7, UNRESPONSIVE"
    })
    void datagramArrivesOnceOrFails(String fault, int retries, DatagramFailure expected) {
        assumeTrue(retries == 7 || TestDevice.get().capabilities().efa().hasRnrRetry(),
                "the device repeats without limit");
        FaultSeeds.each(fault, seed -> once(seed, fault, retries, expected));
    }

    private void once(int seed, String fault, int retries, DatagramFailure expected) throws Exception {
        for (int i = 0; i < COUNT; i++) {
            arrivals.set(i, 0);
        }
        EfaDatagramChannel receiver = ends.bind(new Counter());
        EfaDatagramChannel sender = ends.bind(new Inbox(), bootstrap ->
                bootstrap.option(EfaChannelOption.RNR_RETRY_COUNT, retries));
        EfaEnds.prepare(sender, receiver);
        SoftHca.faults(seed, fault);
        List<ChannelFuture> sent = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            sent.add(sender.writeAndFlush(to(receiver, number(i).writeZero(i % 500))));
        }
        Set<DatagramFailure> failures = EnumSet.noneOf(DatagramFailure.class);
        for (ChannelFuture each : sent) {
            assertThat(each.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
            if (!each.isSuccess()) {
                failures.add(((DatagramException) each.cause()).failure());
            }
        }
        SoftHca.noFaults();
        if (expected == null) {
            assertThat(EnumSet.of(DatagramFailure.UNRESPONSIVE).containsAll(failures)).as("%s", failures).isTrue();
        } else {
            assertThat(failures).containsExactly(expected);
        }
        for (int i = 0; i < COUNT; i++) {
            int number = i;
            if (sent.get(i).isSuccess()) {
                Deadline.standard().until("datagram " + number, () -> arrivals.get(number) > 0);
            }
            assertThat(arrivals.get(i)).as("arrivals of datagram %d", i).isLessThanOrEqualTo(1);
        }
        sender.close().sync();
        receiver.close().sync();
    }

    private final class Counter extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf content = (ByteBuf) ((AddressedEnvelope<?, ?>) message).content();
            arrivals.incrementAndGet(content.readInt());
            content.release();
        }
    }
}
