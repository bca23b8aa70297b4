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
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Peers that do not read: what is sent to them fails or waits, and others are served. */
@Tag("device")
class RecipientNotReadyTest {

    private static final int SEED = 23;
    private static final int UNLIMITED = 7;
    /** More than a send queue has entries, and each answer has more bytes than the water mark. */
    private static final int FLOOD = 140;

    private EfaEnds ends;
    private final Inbox slow = new Inbox();
    private final Inbox answers = new Inbox();
    private EfaDatagramChannel sender;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        ends = new EfaEnds();
        sender = ends.bind(new Inbox());
    }

    @AfterEach
    void end() throws Exception {
        SoftHca.noFaults();
        slow.release();
        answers.release();
        if (ends != null) {
            ends.close();
        }
    }

    private static boolean counts() {
        return TestDevice.get().capabilities().efa().hasRnrRetry();
    }

    private EfaDatagramChannel patient() throws Exception {
        return ends.bind(new Inbox(), bootstrap -> bootstrap.option(EfaChannelOption.RNR_RETRY_COUNT, UNLIMITED));
    }

    /** Answers everything, whether its channel is writable or not. */
    private static final class Echo extends SimpleChannelInboundHandler<AddressedEnvelope<ByteBuf, DatagramAddress>> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, AddressedEnvelope<ByteBuf, DatagramAddress> asked) {
            context.writeAndFlush(new DefaultAddressedEnvelope<>(asked.content().retain(), asked.sender()));
        }
    }

    private static DatagramException failure(ChannelFuture write) throws Exception {
        assertThat(write.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        assertThat(write.cause()).isInstanceOf(DatagramException.class);
        return (DatagramException) write.cause();
    }

    // ---- one server, many clients ----

    @Test
    void oneSlowPeerWithDefaultOptionsDoesNotBlockOthers() throws Exception {
        assertOthersAreServed(ends.bind(new Echo()), 1);
    }

    @Test
    void severalSlowPeersWithUnlimitedRetriesDoNotBlockOthers() throws Exception {
        assertOthersAreServed(ends.bind(new Echo(), bootstrap -> bootstrap
                .option(EfaChannelOption.RNR_RETRY_COUNT, UNLIMITED)), 6);
    }

    private void assertOthersAreServed(EfaDatagramChannel server, int silentPeers) throws Exception {
        EfaDatagramChannel reader = ends.bind(answers);
        EfaEnds.prepare(reader, server);
        List<ChannelFuture> asked = new ArrayList<>();
        for (int peer = 0; peer < silentPeers; peer++) {
            EfaDatagramChannel silent = ends.bindSilent(slow, bootstrap -> bootstrap
                    .option(EfaChannelOption.RNR_RETRY_COUNT, UNLIMITED), server);
            for (int i = 0; i < FLOOD; i++) {
                asked.add(silent.writeAndFlush(to(server, number(i))));
            }
        }
        for (ChannelFuture each : asked) {
            each.get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        }
        for (int i = 0; i < 20; i++) {
            reader.writeAndFlush(to(server, number(i))).sync();
            assertThat(answers.awaitNumber()).isEqualTo(i);
        }
        if (server.config().getOption(EfaChannelOption.RNR_RETRY_COUNT) != UNLIMITED) {
            Deadline.standard().until("the server may write to others", server::isWritable);
            assertThat(server.loopCounters().get(RdmaCounter.RECIPIENTS_NOT_READY)).isPositive();
        }
    }

    // ---- what fails ----

    @Test
    void datagramFailsAfterRnrRetries() throws Exception {
        assumeTrue(counts(), "the device repeats without limit");
        EfaDatagramChannel reader = ends.bindSilent(slow, sender);
        List<ChannelFuture> sent = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            sent.add(sender.writeAndFlush(to(reader, number(i))));
        }
        int unread = reader.config().getReceiveQueueDepth();
        for (ChannelFuture each : sent) {
            assertThat(each.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        }
        assertThat(sent).filteredOn(ChannelFuture::isSuccess).hasSize(unread);
        assertThat(sent).filteredOn(each -> !each.isSuccess()).allSatisfy(each ->
                assertThat(failure(each).failure()).isEqualTo(DatagramFailure.NOT_READY));
        assertThat(sender.loopCounters().get(RdmaCounter.RECIPIENTS_NOT_READY)).isEqualTo(20 - unread);

        reader.config().setAutoRead(true);
        BitSet seen = new BitSet();
        for (int i = 0; i < unread; i++) {
            seen.set(slow.awaitNumber());
        }
        assertThat(seen.cardinality()).isEqualTo(unread);
        sender.writeAndFlush(to(reader, number(99))).sync();
        assertThat(slow.awaitNumber()).isEqualTo(99);
    }

    /** More than may be in flight, of which the device gets those alone that are in flight when the first fails. */
    @Test
    void failureFailsQueuedDatagramsOfItsRecipient() throws Exception {
        assumeTrue(counts(), "the device repeats without limit");
        EfaDatagramChannel reader = ends.bindSilent(slow, sender);
        List<ChannelFuture> together = writeTogether(reader, 200);
        int half = sender.config().getSendQueueDepth() / 2;
        int unread = reader.config().getReceiveQueueDepth();
        List<DatagramException> failures = new ArrayList<>();
        for (ChannelFuture each : together) {
            if (!each.await().isSuccess()) {
                failures.add(failure(each));
            }
        }
        assertThat(failures).hasSize(200 - unread)
                .allMatch(each -> each.failure() == DatagramFailure.NOT_READY)
                .filteredOn(each -> each.status() != null).as("that the device got").hasSizeLessThanOrEqualTo(half);
    }

    private List<ChannelFuture> writeTogether(EfaDatagramChannel reader, int count) throws Exception {
        return sender.eventLoop().submit(() -> {
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(sender.write(to(reader, number(i))));
            }
            sender.flush();
            return writes;
        }).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** One at a time finds out whether the peer reads again; the network is slow, and the others do not wait for it. */
    @Test
    void oneDatagramIsSentAfterAFailureAndOthersFailAtOnce() throws Exception {
        SoftHca.assumeItIsTheDevice();
        assumeTrue(counts(), "the device repeats without limit");
        EfaDatagramChannel reader = ends.bindSilent(slow, sender);
        int unread = reader.config().getReceiveQueueDepth();
        for (ChannelFuture each : writeTogether(reader, unread + 1)) {
            assertThat(each.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        }
        SoftHca.faults(SEED, "delay=1:1s");
        List<ChannelFuture> together = writeTogether(reader, 20);
        for (ChannelFuture each : together.subList(1, 20)) {
            assertThat(failure(each).failure()).isEqualTo(DatagramFailure.NOT_READY);
        }
        assertThat(together.get(0).isDone()).isFalse();
        SoftHca.noFaults();
        assertThat(failure(together.get(0)).status()).isEqualTo(WorkCompletionStatus.RNR_RETRY_EXCEEDED);

        reader.config().setAutoRead(true);
        for (int i = 0; i < unread; i++) {
            slow.awaitNumber();
        }
        sender.writeAndFlush(to(reader, number(1))).sync();
        assertThat(slow.awaitNumber()).isEqualTo(1);
        for (ChannelFuture each : writeTogether(reader, unread)) {
            each.sync();
        }
    }

    /** The listener writes the same again. Others are sent and received meanwhile, and it arrives in the end. */
    @Test
    void immediateRetriesDoNotBlockTheLoop() throws Exception {
        assumeTrue(counts(), "the device repeats without limit");
        EfaDatagramChannel reader = ends.bindSilent(slow, sender);
        EfaDatagramChannel other = ends.bind(answers);
        EfaEnds.prepare(sender, other);
        int unread = reader.config().getReceiveQueueDepth();
        AtomicInteger tries = new AtomicInteger();
        ChannelFutureListener again = new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture future) {
                if (future.cause() instanceof DatagramException e && e.failure() == DatagramFailure.NOT_READY) {
                    tries.incrementAndGet();
                    sender.writeAndFlush(to(reader, number(7)), sender.newPromise().addListener(this));
                }
            }
        };
        for (int i = 0; i < unread + 4; i++) {
            sender.writeAndFlush(to(reader, number(7))).addListener(again);
        }
        Deadline.standard().until("some tries", () -> tries.get() > 100);
        for (int i = 0; i < 10; i++) {
            sender.writeAndFlush(to(other, number(i))).sync();
            assertThat(answers.awaitNumber()).isEqualTo(i);
        }
        reader.config().setAutoRead(true);
        for (int i = 0; i < unread + 4; i++) {
            assertThat(slow.awaitNumber()).isEqualTo(7);
        }
    }

    // ---- what waits ----

    /** Its datagrams wait at the sender, count for writability, and arrive when it reads. */
    @Test
    void unlimitedRnrRetriesWaitForTheReader() throws Exception {
        EfaDatagramChannel patient = patient();
        EfaDatagramChannel reader = ends.bindSilent(slow, patient);
        EfaDatagramChannel other = ends.bind(answers);
        EfaEnds.prepare(patient, other);
        long exhausted = reader.loopCounters().get(RdmaCounter.RECEIVES_EXHAUSTED);
        patient.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 10_000));
        List<ChannelFuture> sent = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            sent.add(patient.writeAndFlush(to(reader, number(i).writeZero(1_000))));
        }
        Deadline.standard().until("the sender is not writable", () -> !patient.isWritable()
                && sent.stream().filter(ChannelFuture::isDone).count() == reader.config().getReceiveQueueDepth());
        patient.writeAndFlush(to(other, number(77))).sync();
        assertThat(answers.awaitNumber()).isEqualTo(77);
        Deadline.standard().until("the reader has counted it",
                () -> reader.loopCounters().get(RdmaCounter.RECEIVES_EXHAUSTED) > exhausted);
        reader.config().setAutoRead(true);
        BitSet seen = new BitSet();
        for (int i = 0; i < 40; i++) {
            seen.set(slow.awaitNumber());
        }
        assertThat(seen.cardinality()).isEqualTo(40);
        for (ChannelFuture each : sent) {
            each.sync();
        }
        Deadline.standard().until("the sender is writable", patient::isWritable);
    }

    /** However few bytes they have. */
    @Test
    void fullSendQueueMakesTheSenderUnwritable() throws Exception {
        EfaDatagramChannel narrow = ends.bind(new Inbox(), bootstrap -> bootstrap
                .option(EfaChannelOption.RNR_RETRY_COUNT, UNLIMITED)
                .option(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, 4));
        EfaDatagramChannel reader = ends.bindSilent(slow, narrow);
        int unread = reader.config().getReceiveQueueDepth();
        long full = narrow.loopCounters().get(RdmaCounter.FLUSHES_WITH_FULL_QUEUE);
        for (int i = 0; i < unread; i++) {
            narrow.writeAndFlush(to(reader, number(i))).sync();
        }
        for (int i = 0; i < 4; i++) {
            narrow.writeAndFlush(to(reader, number(i)));
        }
        narrow.eventLoop().submit(() -> { }).sync();
        assertThat(narrow.isWritable()).isTrue();
        ChannelFuture last = narrow.writeAndFlush(to(reader, number(4)));
        narrow.eventLoop().submit(() -> { }).sync();
        assertThat(narrow.isWritable()).isFalse();
        assertThat(narrow.loopCounters().get(RdmaCounter.FLUSHES_WITH_FULL_QUEUE)).isGreaterThan(full);
        reader.config().setAutoRead(true);
        last.sync();
        Deadline.standard().until("the sender is writable", narrow::isWritable);
        for (int i = 0; i < unread + 5; i++) {
            slow.awaitNumber();
        }
    }

    // ---- devices ----

    @ParameterizedTest
    @ValueSource(ints = { 0, 3, 6 })
    void deviceWithoutRnrRetryRefusesTheOption(int retries) throws Exception {
        assumeTrue(!counts(), "the device counts");
        EfaDatagramChannel unbound = new EfaDatagramChannel();
        unbound.config().setOption(EfaChannelOption.RNR_RETRY_COUNT, retries);
        ends.group().next().register(unbound).sync();
        assertThat(unbound.bind(DatagramAddress.any(TestDevice.get().device().name())).await().cause())
                .isInstanceOf(IOException.class).hasMessageContaining("RNR_RETRY_COUNT");
        unbound.close().sync();
    }

    /** The default is the value of the device. */
    @Test
    void rnrRetryOptionReportsTheEffectiveValue() throws Exception {
        assertThat(new EfaDatagramChannel().config().getOption(EfaChannelOption.RNR_RETRY_COUNT)).isEqualTo(6);
        assertThat(sender.config().getOption(EfaChannelOption.RNR_RETRY_COUNT)).isEqualTo(counts() ? 6 : UNLIMITED);
        assertThat(patient().config().getOption(EfaChannelOption.RNR_RETRY_COUNT)).isEqualTo(UNLIMITED);
    }
}
