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
import io.netty.buffer.Unpooled;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.channel.DefaultAddressedEnvelope;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Reliable datagrams: each arrives once, in any order, or says why not. */
@Tag("device")
class EfaDatagramChannelTest {

    private static final int OTHER_KEY = 0x1234567;

    private EfaEnds ends;
    private final Inbox inbox = new Inbox();
    private final Inbox answers = new Inbox();
    private EfaDatagramChannel receiver;
    private EfaDatagramChannel sender;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        ends = new EfaEnds();
        receiver = ends.bind(inbox);
        sender = ends.bind(answers);
        EfaEnds.prepare(sender, receiver);
    }

    @AfterEach
    void end() throws Exception {
        if (ends != null) {
            ends.close();
            inbox.release();
            answers.release();
        }
    }

    /** None, inline, copied, in place, the longest. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 32, 33, 2_048, 8_927, 8_928 })
    void aDatagramArrivesWholeWithItsSender(int length) throws Exception {
        assertThat(sender.maxDatagram()).isGreaterThanOrEqualTo(length);
        byte[] bytes = new byte[length];
        Seeds.newRandom().nextBytes(bytes);
        for (ByteBuf content : List.of(sender.alloc().directBuffer(length).writeBytes(bytes),
                Unpooled.wrappedBuffer(bytes))) {
            sender.writeAndFlush(to(receiver, content)).sync();
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
            assertThat(datagram.content()).isEqualTo(Unpooled.wrappedBuffer(bytes));
            assertThat(datagram.recipient()).isEqualTo(receiver.localAddress());
            assertThat(datagram.sender()).isEqualTo(sender.localAddress());
            datagram.release();
            assertThat(content.refCnt()).isEqualTo(content == Unpooled.EMPTY_BUFFER ? 1 : 0);
        }
    }

    /** Its key is known from the preparation. */
    @Test
    void answerReachesTheSender() throws Exception {
        sender.writeAndFlush(to(receiver, number(1))).sync();
        AddressedEnvelope<ByteBuf, DatagramAddress> question = inbox.await();
        receiver.writeAndFlush(new DefaultAddressedEnvelope<>(question.content().retain(), question.sender())).sync();
        question.release();
        assertThat(answers.awaitNumber()).isEqualTo(1);
    }

    /** Once the peer is released, its key is forgotten. */
    @Test
    void releasedPeerBecomesUnknown() throws Exception {
        receiver.release(sender.localAddress());
        // Behind the release, which goes to the loop.
        receiver.eventLoop().submit(() -> { }).sync();
        sender.writeAndFlush(to(receiver, number(1))).sync();
        AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
        assertThat(datagram.sender()).isEqualTo(sender.localAddress().withQueueKey(0));
        datagram.release();
    }

    /** The receiver has no handle for it, so that only the completion can say the GID, if the device has it. */
    @Test
    void unknownSenderHasItsGidOrNoAddress() throws Exception {
        EfaDatagramChannel alone = ends.bind(inbox);
        long unknown = alone.loopCounters().get(RdmaCounter.SENDERS_UNKNOWN);
        sender.writeAndFlush(to(alone, number(1))).sync();
        AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
        DatagramAddress stranger = datagram.sender();
        assertThat(datagram.content().readInt()).isEqualTo(1);
        datagram.release();
        assertThat(stranger.queuePairNumber()).isEqualTo(sender.localAddress().queuePairNumber());
        if (namesStrangers()) {
            assertThat(stranger).isEqualTo(sender.localAddress().withQueueKey(0));
        } else {
            assertThat(stranger.isUnknown()).isTrue();
            assertThat(alone.loopCounters().get(RdmaCounter.SENDERS_UNKNOWN)).isEqualTo(unknown + 1);
            assertThat(alone.writeAndFlush(new DefaultAddressedEnvelope<>(number(2), stranger)).await().cause())
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("prepare");
        }
    }

    private static boolean namesStrangers() {
        return TestDevice.get().capabilities().senderGids();
    }

    /** In windows, because each datagram that is not read yet takes a receive. */
    @Test
    void manyDatagramsArriveOnceInAnyOrder() throws Exception {
        int many = Integer.getInteger("io.nettyrdma.testsuite.datagrams", 20_000);
        Random random = Seeds.newRandom();
        BitSet seen = new BitSet();
        boolean disorder = false;
        int last = -1;
        int window = 250;
        for (int first = 0; first < many; first += window) {
            List<ChannelFuture> sent = new ArrayList<>();
            int end = Math.min(many, first + window);
            for (int i = first; i < end; i++) {
                sent.add(sender.write(to(receiver, number(i).writeZero(random.nextInt(3_000)))));
            }
            sender.flush();
            for (int i = first; i < end; i++) {
                int number = inbox.awaitNumber();
                assertThat(seen.get(number)).as("%d came before", number).isFalse();
                seen.set(number);
                disorder |= number < last;
                last = number;
            }
            for (ChannelFuture each : sent) {
                each.sync();
            }
        }
        assertThat(seen.cardinality()).isEqualTo(many);
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(disorder).as("the device keeps an order, so this test proves little").isTrue();
    }

    // ---- failures ----

    private void assertGoesOn() throws Exception {
        sender.writeAndFlush(to(receiver, number(77))).sync();
        assertThat(inbox.awaitNumber()).isEqualTo(77);
    }

    private static DatagramException failure(ChannelFuture write) throws Exception {
        assertThat(write.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        assertThat(write.cause()).isInstanceOf(DatagramException.class);
        return (DatagramException) write.cause();
    }

    @Test
    void aWrongKeyOrNumberFailsAlone() throws Exception {
        DatagramAddress there = receiver.localAddress();
        DatagramAddress otherKey = there.withQueueKey(there.queueKey() ^ 1);
        DatagramAddress otherNumber = new DatagramAddress(there.gid(), there.queuePairNumber() ^ 0x80,
                there.queueKey());
        for (DatagramAddress each : List.of(otherKey, otherNumber)) {
            DatagramException failed = failure(sender.writeAndFlush(new DefaultAddressedEnvelope<>(number(1), each)));
            assertThat(failed.failure()).isEqualTo(DatagramFailure.NO_SUCH_QUEUE_PAIR);
            assertThat(failed.recipient()).isEqualTo(each);
            assertThat(failed).hasMessageContaining("exchange addresses again");
        }
        DatagramAddress noNumber = new DatagramAddress(there.gid(), there.queuePairNumber() | 0x10000,
                there.queueKey());
        assertThat(sender.writeAndFlush(new DefaultAddressedEnvelope<>(number(1), noNumber)).await().cause())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("65535");
        assertGoesOn();
    }

    /** An unused address of this network. */
    @Test
    void unknownGidIsUnreachable() throws Exception {
        byte[] raw = TestDevice.get().gid().bytes();
        raw[Gid.LENGTH - 1] ^= 1;
        DatagramException failed = failure(sender.writeAndFlush(new DefaultAddressedEnvelope<>(number(1),
                new DatagramAddress(new Gid(raw), 17, 1))));
        assertThat(failed.failure()).isEqualTo(DatagramFailure.UNREACHABLE);
        assertThat(failed.vendorError()).isEqualTo(15);
        assertGoesOn();
    }

    /** The device refuses to make an address handle for another network. */
    @Test
    void datagramToAnotherNetworkIsNotPosted() throws Exception {
        byte[] raw = TestDevice.get().gid().bytes();
        raw[0] = 0x20;
        DatagramException failed = failure(sender.writeAndFlush(new DefaultAddressedEnvelope<>(number(1),
                new DatagramAddress(new Gid(raw), 17, 1))));
        assertThat(failed.failure()).isEqualTo(DatagramFailure.NOT_POSTED);
        assertThat(failed).hasRootCauseMessage(failed.getCause().getMessage()).hasMessageContaining("handle");
        assertGoesOn();
    }

    /** The peer is gone, and its queue pair's number may belong to another: the keys differ. */
    @Test
    void datagramToADepartedPeerFailsAlone() throws Exception {
        EfaDatagramChannel leaving = ends.bind(new Inbox());
        DatagramAddress left = leaving.localAddress();
        leaving.close().sync();
        EfaDatagramChannel next = ends.bind(inbox);
        DatagramException failed = failure(sender.writeAndFlush(new DefaultAddressedEnvelope<>(number(1), left)));
        assertThat(failed.failure()).isEqualTo(DatagramFailure.NO_SUCH_QUEUE_PAIR);
        assertThat(next.localAddress().queueKey()).isNotEqualTo(left.queueKey());
        assertGoesOn();
    }

    /** Any program may be at the other end, here the binding alone. */
    @Test
    void shortReceiveFailsItsDatagramAlone() throws Exception {
        try (Endpoint other = new Endpoint(ApiVariant.preferred(),
                new QueuePairConfig(QueuePairType.SRD, 16).withSignalAll(true))) {
            other.activateDatagrams(OTHER_KEY);
            DatagramAddress there = new DatagramAddress(TestDevice.get().gid(), other.queuePair().number(), OTHER_KEY);
            TestMemory memory = other.memory(64, MemoryAccess.LOCAL_WRITE);
            other.receive(1, memory, 0, 64);
            DatagramException failed = failure(sender.writeAndFlush(new DefaultAddressedEnvelope<>(
                    number(1).writeZero(100), there)));
            assertThat(failed.failure()).isEqualTo(DatagramFailure.TOO_LONG_FOR_PEER);
            sender.writeAndFlush(new DefaultAddressedEnvelope<>(number(2), there)).sync();
            assertThat(other.receives().awaitSuccess().bytes()).isEqualTo(Integer.BYTES);
        }
        assertGoesOn();
    }

    /** Immediates of messages mean nothing here; a datagram that is refused affects no other. */
    @Test
    void datagramOfAForeignProgramIsDelivered() throws Exception {
        try (Endpoint other = new Endpoint(ApiVariant.preferred(),
                new QueuePairConfig(QueuePairType.SRD, 16).withSignalAll(true))) {
            other.activateDatagrams(OTHER_KEY);
            AddressHandle way = other.own(other.domain().createAddressHandle(
                    TestDevice.get().wayTo(TestDevice.get().gid(), 0)));
            TestMemory memory = other.memory(8, MemoryAccess.LOCAL_WRITE).put(0, new byte[] { 0, 0, 0, 9 });
            other.send(batch -> batch.sendWithImmediate(1, -1)
                    .to(way, receiver.localAddress().queuePairNumber(), receiver.localAddress().queueKey())
                    .sge(memory.region(), 0, Integer.BYTES).signaled());
            assertThat(inbox.awaitNumber()).isEqualTo(9);
            assertThat(other.sends().awaitSuccess().id()).isEqualTo(1);
            other.send(batch -> batch.send(2)
                    .to(way, receiver.localAddress().queuePairNumber(), 1)
                    .sge(memory.region(), 0, Integer.BYTES).signaled());
            assertThat(other.sends().await().status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
        }
        assertGoesOn();
    }

    /** Datagrams, and immediates, of others are dropped and counted. */
    @Test
    void aConnectedChannelHasOneSender() throws Exception {
        EfaDatagramChannel stranger = ends.bind(new Inbox());
        EfaEnds.prepare(stranger, receiver);
        receiver.connect(sender.localAddress()).sync();
        long dropped = receiver.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED);
        stranger.writeAndFlush(to(receiver, number(1))).sync();
        assertGoesOn();
        Deadline.standard().until("the stranger's datagram is dropped",
                () -> receiver.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED) == dropped + 1);
        receiver.writeAndFlush(number(2)).sync();
        assertThat(answers.awaitNumber()).isEqualTo(2);
    }

    @Test
    void oversizedDatagramFailsAtWrite() throws Exception {
        int most = sender.maxDatagram();
        ByteBuf tooLong = sender.alloc().directBuffer(most + 1).writeZero(most + 1);
        assertThat(sender.writeAndFlush(to(receiver, tooLong)).await().cause())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at most the " + most);
        assertThat(tooLong.refCnt()).isZero();
        assertGoesOn();
    }

    /** Another program has all handles but one. That one goes from peer to peer, and fails those who come too late. */
    @Test
    void fullTableEvictsAnIdleHandle() throws Exception {
        // The end of a channel does not wait for its handles. That of its loop does.
        ends.close();
        ends = new EfaEnds();
        try (Endpoint hoarder = new Endpoint(ApiVariant.preferred(),
                new QueuePairConfig(QueuePairType.SRD, 16).withSignalAll(true))) {
            List<AddressHandle> hoard = new ArrayList<>();
            takeAll(hoarder, hoard);
            EfaDatagramChannel first = ends.bind(new Inbox());
            EfaDatagramChannel other = ends.bind(inbox);
            ChannelFuture late = first.writeAndFlush(to(other, number(1)));
            assertThat(failure(late).failure()).isEqualTo(DatagramFailure.NOT_POSTED);
            assertThat(late.cause()).hasCauseInstanceOf(VerbsException.class);
            assertThat(((VerbsException) late.cause().getCause()).call()).isEqualTo("ibv_create_ah");
            hoard.remove(hoard.size() - 1).close();
            other.prepare(first.localAddress()).sync();
            other.release(first.localAddress());
            byte[] raw = TestDevice.get().gid().bytes();
            raw[Gid.LENGTH - 1] ^= 1;
            DatagramException unreachable = failure(other.writeAndFlush(new DefaultAddressedEnvelope<>(number(1),
                    new DatagramAddress(new Gid(raw), 17, 1))));
            assertThat(unreachable.failure()).as("%s", unreachable).isEqualTo(DatagramFailure.UNREACHABLE);
            other.writeAndFlush(to(other, number(2))).sync();
            assertThat(inbox.awaitNumber()).isEqualTo(2);
        }
    }

    private static void takeAll(Endpoint hoarder, List<AddressHandle> hoard) throws Exception {
        while (true) {
            try {
                hoard.add(hoarder.own(hoarder.domain().createAddressHandle(
                        TestDevice.get().wayTo(TestDevice.get().gid(), 0))));
            } catch (VerbsException e) {
                assertThat(hoard.size()).isGreaterThan(1_000);
                return;
            }
        }
    }

    // ---- options and ends ----

    @Test
    void optionsAreChecked() {
        EfaDatagramChannel unbound = new EfaDatagramChannel();
        assertThat(unbound).asString().endsWith("] RDMA datagrams OPEN");
        assertThat(unbound.config().getOptions()).containsEntry(EfaChannelOption.TRANSPORT, QueuePairType.SRD)
                .containsEntry(EfaChannelOption.RNR_RETRY_COUNT, 6).containsEntry(EfaChannelOption.SERVICE_LEVEL, 0);
        assertThatIllegalArgumentException().isThrownBy(() ->
                unbound.config().setOption(EfaChannelOption.RNR_RETRY_COUNT, 8));
        assertThatIllegalArgumentException().isThrownBy(() ->
                unbound.config().setOption(EfaChannelOption.TRANSPORT, QueuePairType.RC));
        for (int wrong : new int[] { -1, 1, 7, 9, 264 }) {
            assertThatIllegalArgumentException().isThrownBy(() ->
                    unbound.config().setOption(EfaChannelOption.SERVICE_LEVEL, wrong))
                    .withMessageContaining("SERVICE_LEVEL is " + wrong + ", none of 0, 8");
        }
        for (int right : new int[] { 8, 0 }) {
            assertThat(unbound.config().setOption(EfaChannelOption.SERVICE_LEVEL, right)).isTrue();
            assertThat(unbound.config().getOption(EfaChannelOption.SERVICE_LEVEL)).isEqualTo(right);
        }
        assertThatIllegalStateException().isThrownBy(() ->
                sender.config().setOption(EfaChannelOption.TRANSPORT, QueuePairType.UD));
        assertThatIllegalStateException().isThrownBy(() ->
                sender.config().setOption(EfaChannelOption.RNR_RETRY_COUNT, 3));
        assertThatIllegalStateException().isThrownBy(() ->
                sender.config().setOption(EfaChannelOption.SERVICE_LEVEL, 8));
    }

    /** A device that does not support the level ignores it, and the log has a line. */
    @ParameterizedTest
    @EnumSource(names = { "SRD", "UD" })
    void lowLatencyServiceLevelIsAcceptedOnEveryDevice(QueuePairType transport) throws Exception {
        Inbox quick = new Inbox();
        try (LogLines log = new LogLines("io.nettyrdma.efa.EfaDatagramChannelConfig", Level.INFO)) {
            EfaDatagramChannel from = ends.bind(new Inbox(), bootstrap -> bootstrap
                    .option(EfaChannelOption.TRANSPORT, transport).option(EfaChannelOption.SERVICE_LEVEL, 8));
            EfaDatagramChannel to = ends.bind(quick, bootstrap -> bootstrap
                    .option(EfaChannelOption.TRANSPORT, transport));
            assertThat(from.config().getOption(EfaChannelOption.SERVICE_LEVEL))
                    .isEqualTo(hasServiceLevels() && transport == QueuePairType.SRD ? 8 : 0);
            assertThat(from).asString().endsWith("] RDMA " + transport + " datagrams BOUND on " + from.device());
            EfaEnds.prepare(from, to);
            from.writeAndFlush(to(to, number(6))).sync();
            assertThat(quick.awaitNumber()).isEqualTo(6);
            assertThat(log.messages()).hasSize(hasServiceLevels() && transport == QueuePairType.SRD ? 0 : 1)
                    .allMatch(line -> line.contains("of type " + transport + " was created without service level 8"));
        }
    }

    /** No attribute of a device says so, only what it grants. A software device that writes is one that has levels. */
    private static boolean hasServiceLevels() throws Exception {
        QueuePairConfig config = new QueuePairConfig(QueuePairType.SRD, 4).withSignalAll(true).withServiceLevel(8);
        try (Endpoint alone = new Endpoint(ApiVariant.preferred(), config)) {
            boolean granted = alone.queuePair().granted().serviceLevel() == 8;
            if (NativeLibrary.isSoftware()) {
                assertThat(granted).isEqualTo(TestDevice.get().capabilities().efa().hasWrites());
            }
            return granted;
        }
    }

    /** The same channel, unreliable; its datagrams are as long. */
    @Test
    void unreliableDatagramsArrive() throws Exception {
        EfaDatagramChannel one = ends.bind(new Inbox(), bootstrap -> bootstrap
                .option(EfaChannelOption.TRANSPORT, QueuePairType.UD));
        Inbox others = new Inbox();
        EfaDatagramChannel other = ends.bind(others, bootstrap -> bootstrap
                .option(EfaChannelOption.TRANSPORT, QueuePairType.UD));
        EfaEnds.prepare(one, other);
        assertThat(one.maxDatagram()).isEqualTo(sender.maxDatagram());
        for (int length : new int[] { Integer.BYTES, one.maxDatagram() }) {
            byte[] bytes = new byte[length];
            Seeds.newRandom().nextBytes(bytes);
            one.writeAndFlush(to(other, Unpooled.wrappedBuffer(bytes))).sync();
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram = others.await();
            assertThat(datagram.content()).isEqualTo(Unpooled.wrappedBuffer(bytes));
            assertThat(datagram.sender()).isEqualTo(one.localAddress());
            datagram.release();
        }
    }

    /** Also those that wait without limit at a peer that does not read, after a second. The close completes at once. */
    @Test
    void aCloseEndsEveryDatagram() throws Exception {
        EfaDatagramChannel reader = ends.bindSilent(new Inbox(), sender);
        EfaDatagramChannel closing = ends.bind(new Inbox(), bootstrap -> bootstrap
                .option(EfaChannelOption.RNR_RETRY_COUNT, 7));
        long timedOut = closing.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT);
        List<ByteBuf> contents = new ArrayList<>();
        List<ChannelFuture> sent = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            contents.add(closing.alloc().directBuffer().writeZero(4_000));
            sent.add(closing.writeAndFlush(to(reader, contents.get(i))));
        }
        closing.close().sync();
        assertThat(sent).anyMatch(each -> !each.isDone());
        for (ChannelFuture each : sent) {
            assertThat(each.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        }
        assertThat(sent).filteredOn(ChannelFuture::isSuccess).hasSize(reader.config().getReceiveQueueDepth());
        assertThat(sent).filteredOn(each -> !each.isSuccess()).allSatisfy(each -> {
            assertThat(failure(each).failure()).isEqualTo(DatagramFailure.CLOSED);
            assertThat(each.cause()).hasCauseInstanceOf(ClosedChannelException.class);
        });
        assertThat(closing.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT)).isEqualTo(timedOut + 1);
        assertThat(contents).allMatch(content -> content.refCnt() == 0);
    }

    /** Queue pairs of one device are limited to 256, and two are there already. */
    @Test
    void peersOfOneGidShareAHandle() throws Exception {
        int many = 254;
        List<RdmaDatagramChannel> peers = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            EfaDatagramChannel peer = ends.bind(inbox, bootstrap -> bootstrap
                    .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, 4)
                    .option(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, 4));
            peer.prepare(sender.localAddress()).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            peers.add(peer);
        }
        for (int i = 0; i < many; i++) {
            sender.write(to(peers.get(i), number(i)));
        }
        sender.flush();
        BitSet seen = new BitSet();
        for (int i = 0; i < many; i++) {
            seen.set(inbox.awaitNumber());
        }
        assertThat(seen.cardinality()).isEqualTo(many);
        for (int i = 0; i < many; i++) {
            peers.get(i).write(to(sender, number(i)));
            peers.get(i).flush();
        }
        seen.clear();
        for (int i = 0; i < many; i++) {
            seen.set(answers.awaitNumber());
        }
        assertThat(seen.cardinality()).isEqualTo(many);
    }
}
