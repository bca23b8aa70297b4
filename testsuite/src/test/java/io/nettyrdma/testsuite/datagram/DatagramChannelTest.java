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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.IllegalReferenceCountException;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.Gid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Datagrams between channels: whole, with the sender's address, and each with a promise of its own. */
@Tag("device")
class DatagramChannelTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int MANY = 2_000;

    private final LeakWatch leaks = new LeakWatch();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
    private final Inbox inbox = new Inbox();
    private RdmaDatagramChannel receiver;
    private RdmaDatagramChannel sender;

    @BeforeEach
    void bind() throws Exception {
        TestDevice.get().assumeDatagrams();
        assumeTrue(TestDevice.get().capabilities().efa() == null || TestDevice.get().capabilities().senderGids(),
                "the device does not say who has sent a datagram, unless it was prepared for");
        receiver = bind(inbox, bootstrap -> { });
        sender = bind(new Inbox(), bootstrap -> { });
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        inbox.release();
        leaks.close();
    }

    /** What a test sets before the channel is bound. */
    private interface Options {
        void set(Bootstrap bootstrap);
    }

    private RdmaDatagramChannel bind(Inbox handler, Options options) throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(RdmaDatagramChannel.class).handler(handler);
        options.set(bootstrap);
        return (RdmaDatagramChannel) bootstrap.bind(DatagramAddress.any(TestDevice.get().device().name())).sync()
                .channel();
    }

    private static AddressedEnvelope<ByteBuf, DatagramAddress> to(RdmaDatagramChannel channel, ByteBuf content) {
        return new DefaultAddressedEnvelope<>(content, channel.localAddress());
    }

    private static void assertNext(Inbox inbox, int number) throws Exception {
        AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
        int next = datagram.content().readInt();
        datagram.release();
        assertThat(next).isEqualTo(number);
    }

    /** None, inline, copied, in place, a whole packet. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 80, 81, 1_000, -1, 0x7fffffff })
    void aDatagramArrivesWholeWithItsSender(int wanted) throws Exception {
        int length = wanted < 0 ? sender.maxDatagram() - 1 : Math.min(wanted, sender.maxDatagram());
        byte[] bytes = new byte[length];
        Seeds.newRandom().nextBytes(bytes);
        for (ByteBuf content : List.of(sender.alloc().directBuffer(length).writeBytes(bytes),
                Unpooled.wrappedBuffer(bytes), composite(bytes))) {
            sender.writeAndFlush(to(receiver, content)).sync();
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
            assertThat(datagram.content()).isEqualTo(Unpooled.wrappedBuffer(bytes));
            assertThat(datagram.recipient()).isEqualTo(receiver.localAddress());
            assertThat(datagram.sender()).isEqualTo(sender.localAddress().withQueueKey(0));
            datagram.release();
            assertThat(content.refCnt()).isEqualTo(content == Unpooled.EMPTY_BUFFER ? 1 : 0);
        }
    }

    private CompositeByteBuf composite(byte[] bytes) {
        int half = bytes.length / 2;
        return sender.alloc().compositeBuffer()
                .addComponent(true, sender.alloc().directBuffer().writeBytes(bytes, 0, half))
                .addComponent(true, Unpooled.wrappedBuffer(bytes, half, bytes.length - half));
    }

    @Test
    void answerReachesTheSender() throws Exception {
        Inbox answers = new Inbox();
        RdmaDatagramChannel asker = bind(answers, bootstrap -> { });
        asker.writeAndFlush(to(receiver, number(1))).sync();
        AddressedEnvelope<ByteBuf, DatagramAddress> question = inbox.await();
        receiver.writeAndFlush(new DefaultAddressedEnvelope<>(question.content().retain(), question.sender())).sync();
        question.release();
        assertNext(answers, 1);
    }

    @Test
    void aConnectedChannelHasOneRecipientAndOneSender() throws Exception {
        Inbox answers = new Inbox();
        RdmaDatagramChannel connected = (RdmaDatagramChannel) new Bootstrap().group(group)
                .channel(RdmaDatagramChannel.class).handler(answers).connect(receiver.localAddress()).sync().channel();
        assertThat(connected.remoteAddress()).isEqualTo(receiver.localAddress());
        connected.writeAndFlush(number(1)).sync();
        AddressedEnvelope<ByteBuf, DatagramAddress> question = inbox.await();
        assertThat(question.sender()).isEqualTo(connected.localAddress().withQueueKey(0));
        question.release();

        long dropped = connected.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED);
        sender.writeAndFlush(to(connected, number(2))).sync();
        receiver.writeAndFlush(to(connected, number(3))).sync();
        assertNext(answers, 3);
        assertThat(connected.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED) - dropped).isEqualTo(1);

        connected.disconnect().sync();
        assertThat(connected.remoteAddress()).isNull();
        assertThat(connected.writeAndFlush(number(4)).await().cause()).isInstanceOf(NotYetConnectedException.class);
        sender.writeAndFlush(to(connected, number(5))).sync();
        assertNext(answers, 5);
    }

    /** As with UDP. */
    @Test
    void aConnectedChannelCannotBeConnectedAgain() throws Exception {
        Inbox others = new Inbox();
        RdmaDatagramChannel other = bind(others, bootstrap -> { });
        sender.connect(receiver.localAddress()).sync();
        assertThat(sender.connect(other.localAddress()).await().cause()).isInstanceOf(AlreadyConnectedException.class);
        assertThat(sender.remoteAddress()).isEqualTo(receiver.localAddress());
        sender.writeAndFlush(number(1)).sync();
        assertNext(inbox, 1);
        sender.disconnect().sync();
        sender.connect(other.localAddress()).sync();
        assertThat(sender.remoteAddress()).isEqualTo(other.localAddress());
        sender.writeAndFlush(number(2)).sync();
        assertNext(others, 2);
    }

    /** One that waits for its handle, while the channel is disconnected or connected again. */
    @Test
    void connectFollowedByDisconnectFails() throws Exception {
        ChannelFuture[] connects = sender.eventLoop().submit(() -> {
            ChannelFuture first = sender.connect(receiver.localAddress());
            ChannelFuture second = sender.connect(receiver.localAddress());
            sender.disconnect();
            return new ChannelFuture[] { first, second };
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(connects[0].await().cause()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(connects[1].await().cause()).isInstanceOf(AlreadyConnectedException.class);
        assertThat(sender.remoteAddress()).isNull();
        sender.connect(receiver.localAddress()).sync();
    }

    /** Both wait for the same handle, which nothing keeps after the second one's end. */
    @Test
    void secondConnectToTheSameAddressKeepsOneReference() throws Exception {
        RdmaDatagramChannel few = bind(new Inbox(), bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.MAX_PEERS, 1));
        ChannelFuture[] connects = few.eventLoop().submit(() -> {
            ChannelFuture first = few.connect(receiver.localAddress());
            few.disconnect();
            return new ChannelFuture[] { first, few.connect(receiver.localAddress()) };
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(connects[0].await().cause()).isInstanceOf(AsynchronousCloseException.class);
        connects[1].sync();
        few.disconnect().sync();
        assertThat(String.valueOf(few.writeAndFlush(new DefaultAddressedEnvelope<>(number(1), unused(1))).await()
                .cause())).doesNotContain("MAX_PEERS");
    }

    /** Its handle is not the oldest idle one, although others are used after it. */
    @Test
    void aConnectedChannelKeepsTheHandleOfItsPeer() throws Exception {
        RdmaDatagramChannel few = bind(new Inbox(), bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.MAX_PEERS, 1));
        few.connect(receiver.localAddress()).sync();
        assertThat(few.writeAndFlush(new DefaultAddressedEnvelope<>(number(1), unused(1))).await().cause())
                .isInstanceOf(DatagramException.class).hasMessageContaining("MAX_PEERS");
        few.disconnect().sync();
        assertThat(few.writeAndFlush(new DefaultAddressedEnvelope<>(number(1), unused(1))).await(PATIENCE_MILLIS))
                .isTrue();
    }

    /**
     * Many more than the queues hold: none is lost or doubled. A window is at most half of the receiver's queue: the
     * test has the last datagram of one before the channel posts its receives again.
     */
    @Test
    void manyDatagramsArriveOnce() throws Exception {
        Random random = Seeds.newRandom();
        boolean[] seen = new boolean[MANY];
        int depth = receiver.config().getOption(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH);
        int window = Math.min(64, depth / 2);
        for (int first = 0; first < MANY; first += window) {
            List<ChannelFuture> sent = new ArrayList<>();
            int end = Math.min(MANY, first + window);
            for (int i = first; i < end; i++) {
                int padding = random.nextInt(sender.maxDatagram() - Integer.BYTES);
                sent.add(sender.write(to(receiver, number(i).writeZero(padding))));
            }
            sender.flush();
            for (int i = first; i < end; i++) {
                AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
                int number = datagram.content().readInt();
                assertThat(seen[number]).as("%d came before", number).isFalse();
                seen[number] = true;
                datagram.release();
            }
            for (ChannelFuture each : sent) {
                each.sync();
            }
        }
        assertThat(inbox.isEmpty()).isTrue();
    }

    /** Unread datagrams stay, up to the depth of the queue; the device drops the rest. */
    @Test
    void unreadDatagramsFillTheReceiveQueue() throws Exception {
        int depth = 8;
        Inbox slow = new Inbox();
        RdmaDatagramChannel reader = bind(slow, bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, depth).option(ChannelOption.AUTO_READ, false));
        for (int i = 0; i < 2 * depth; i++) {
            sender.writeAndFlush(to(reader, number(i))).sync();
        }
        // A datagram that has left may come later; not after one to the same process that left behind it.
        sender.writeAndFlush(to(receiver, number(0))).sync();
        assertNext(inbox, 0);
        assertThat(slow.isEmpty()).isTrue();
        for (int i = 0; i < depth; i++) {
            reader.read();
            assertNext(slow, i);
        }
        reader.read();
        reader.eventLoop().submit(() -> { }).sync();
        assertThat(slow.isEmpty()).isTrue();
        reader.config().setAutoRead(true);
        sender.writeAndFlush(to(reader, number(99))).sync();
        assertNext(slow, 99);
    }

    /** A reader that keeps its buffers is still served: they do not count as unread. */
    @Test
    void retainedBuffersDoNotStopTheReceiver() throws Exception {
        Inbox keeping = new Inbox();
        RdmaDatagramChannel reader = bind(keeping, bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, 4));
        List<AddressedEnvelope<ByteBuf, DatagramAddress>> kept = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sender.writeAndFlush(to(reader, number(i))).sync();
            kept.add(keeping.await());
        }
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).content().readInt()).isEqualTo(i);
            kept.get(i).release();
        }
    }

    /** A key that is not the receiver's, and an unused number: lost, as unreliable datagrams are. */
    @Test
    void datagramWithoutReceiverIsLost() throws Exception {
        DatagramAddress there = receiver.localAddress();
        sender.write(new DefaultAddressedEnvelope<>(number(1), there.withQueueKey(1)));
        sender.write(new DefaultAddressedEnvelope<>(number(2),
                new DatagramAddress(there.gid(), there.queuePairNumber() ^ 0x8000, there.queueKey())));
        sender.writeAndFlush(to(receiver, number(3))).sync();
        assertNext(inbox, 3);
    }

    // ---- writability ----

    @Test
    void datagramsInFlightCountForWritability() throws Exception {
        sender.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, 100));
        ChannelFuture last = sender.eventLoop().submit(() -> {
            // Its handle does not exist yet, so it waits.
            ChannelFuture first = sender.writeAndFlush(to(receiver, number(1).writeZero(200)));
            assertThat(sender.isWritable()).isFalse();
            return first;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        last.sync();
        sender.eventLoop().submit(() -> { }).sync();
        assertThat(sender.isWritable()).isTrue();
        inbox.await().release();
    }

    // ---- address handles ----

    /** With room for two, each further GID makes room by forgetting the oldest. */
    @Test
    void handlesAreDestroyedAndCreatedAgain() throws Exception {
        RdmaDatagramChannel few = bind(new Inbox(), bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.MAX_PEERS, 2));
        for (int i = 0; i < 20; i++) {
            ChannelFuture elsewhere = few.writeAndFlush(new DefaultAddressedEnvelope<>(number(i), unused(i)));
            assertThat(elsewhere.await(PATIENCE_MILLIS)).isTrue();
            few.writeAndFlush(to(receiver, number(i))).sync();
            assertNext(inbox, i);
        }
    }

    @Test
    void datagramWithoutFreeHandleFailsAlone() throws Exception {
        RdmaDatagramChannel few = bind(new Inbox(), bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.MAX_PEERS, 1));
        ChannelFuture[] both = few.eventLoop().submit(() -> {
            ChannelFuture first = few.write(to(receiver, number(1)));
            ChannelFuture second = few.write(new DefaultAddressedEnvelope<>(number(2), unused(1)));
            few.flush();
            return new ChannelFuture[] { first, second };
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        both[0].sync();
        assertThat(both[1].await().cause()).isInstanceOf(DatagramException.class).hasMessageContaining("MAX_PEERS");
        inbox.await().release();
        few.writeAndFlush(to(receiver, number(3))).sync();
        inbox.await().release();
    }

    /** A GID of the same kind as the device's. */
    private static DatagramAddress unused(int number) {
        byte[] raw = TestDevice.get().gid().bytes();
        raw[Gid.LENGTH - 1] ^= (byte) (0x40 + number % 32);
        return new DatagramAddress(new Gid(raw), 17, 1);
    }

    // ---- what is refused, and the end ----

    @Test
    void invalidDatagramFailsAlone() throws Exception {
        int most = sender.maxDatagram();
        ByteBuf tooLong = sender.alloc().directBuffer(most + 1).writeZero(most + 1);
        assertThat(sender.writeAndFlush(to(receiver, tooLong)).await().cause())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("at most the " + most);
        assertThat(tooLong.refCnt()).isZero();
        assertThat(sender.writeAndFlush(number(1)).await().cause()).isInstanceOf(NotYetConnectedException.class);
        assertThat(sender.writeAndFlush("text").await().cause()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(sender.bind(DatagramAddress.any()).await().cause()).isInstanceOf(IllegalStateException.class);
        RdmaDatagramChannel unbound = new RdmaDatagramChannel();
        group.next().register(unbound).sync();
        assertThat(unbound.writeAndFlush(to(receiver, number(1))).await().cause())
                .isInstanceOf(NotYetBoundException.class);
        assertThat(unbound.bind(receiver.localAddress()).await().cause())
                .isInstanceOf(IllegalArgumentException.class);
        unbound.close().sync();
        assertThatIllegalStateException().isThrownBy(() ->
                sender.config().setOption(RdmaDatagramChannelOption.MAX_PEERS, 3));
        assertThatIllegalArgumentException().isThrownBy(() ->
                new DatagramAddress(receiver.localAddress().gid(), 1 << 24, 1));
        sender.writeAndFlush(to(receiver, number(2))).sync();
        inbox.await().release();
    }

    /** A channel does not exceed the limits of its device; a standard option has the true value, or is refused. */
    @Test
    void optionsReportTheGrantedValues() throws Exception {
        int most = Math.min(4_096, TestDevice.get().device().limits().workRequests());
        int handles = Math.min(64 << 10, TestDevice.get().device().limits().addressHandles());
        RdmaDatagramChannel greedy = bind(new Inbox(), bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, 4_096)
                .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, 16)
                .option(RdmaDatagramChannelOption.MAX_PEERS, 64 << 10));
        assertThat(greedy.config().getSendQueueDepth()).isEqualTo(most);
        assertThat(greedy.config().getMaxPeers()).isEqualTo(handles);
        assertThat(greedy.config().getOption(ChannelOption.SO_RCVBUF)).isEqualTo(16 * greedy.maxDatagram());
        assertThat(greedy.config().getOption(ChannelOption.SO_SNDBUF)).isEqualTo((int) Math.min(Integer.MAX_VALUE,
                (long) most * greedy.maxDatagram()));
        for (ChannelOption<Boolean> each : List.of(ChannelOption.SO_BROADCAST, ChannelOption.SO_REUSEADDR)) {
            assertThat(greedy.config().getOption(each)).isFalse();
            assertThat(greedy.config().setOption(each, false)).isTrue();
            assertThat(greedy.config().setOption(each, true)).isFalse();
        }
        assertThat(greedy.config().setOption(ChannelOption.SO_RCVBUF, 1)).isFalse();
        assertThat(greedy.config().getOptions()).containsKeys(ChannelOption.SO_RCVBUF, ChannelOption.SO_SNDBUF)
                .doesNotContainValue(null);
    }

    /** The application has kept a reference, moves the indices, and finally cuts the buffer. */
    @Test
    void datagramHasTheWrittenBytes() throws Exception {
        int length = sender.maxDatagram();
        byte[] bytes = new byte[length];
        Seeds.newRandom().nextBytes(bytes);
        for (int size : new int[] { 100, length }) {
            ByteBuf content = RdmaByteBufAllocator.DEFAULT.directBuffer(2 * length).writeBytes(bytes, 0, size);
            writeAndChange(content, () -> content.writeZero(length).readerIndex(size)).sync();
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
            assertThat(datagram.content()).isEqualTo(Unpooled.wrappedBuffer(bytes, 0, size));
            datagram.release();

            ChannelFuture cut = writeAndChange(content, () -> content.capacity(size + 1));
            assertThat(cut.await(PATIENCE_MILLIS)).isTrue();
            assertThat(cut.cause()).isInstanceOf(DatagramException.class)
                    .hasCauseInstanceOf(IndexOutOfBoundsException.class);
            assertThat(content.release()).isTrue();
        }
        sender.writeAndFlush(to(receiver, number(1))).sync();
        assertNext(inbox, 1);
    }

    private ChannelFuture writeAndChange(ByteBuf content, Runnable change) throws Exception {
        return sender.eventLoop().submit(() -> {
            ChannelFuture written = sender.write(to(receiver, content.retain()));
            change.run();
            sender.flush();
            return written;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** A handler has released a buffer of the channel. Other datagrams are not affected. */
    @Test
    void releasedBufferFailsItsDatagramAlone() throws Exception {
        ByteBuf released = Unpooled.buffer(4).writeInt(1);
        List<ChannelFuture> written = sender.eventLoop().submit(() -> {
            ChannelFuture first = sender.write(to(receiver, number(1)));
            ChannelFuture bad = sender.write(to(receiver, released));
            released.release();
            return List.of(first, bad, sender.writeAndFlush(to(receiver, number(2))));
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(written.get(1).await(PATIENCE_MILLIS)).isTrue();
        assertThat(written.get(1).cause()).isInstanceOf(DatagramException.class)
                .hasCauseInstanceOf(IllegalReferenceCountException.class);
        assertThat(((DatagramException) written.get(1).cause()).failure()).isEqualTo(DatagramFailure.NOT_POSTED);
        written.get(0).sync();
        written.get(2).sync();
        for (int i = 1; i <= 2; i++) {
            assertNext(inbox, i);
        }
        assertThat(sender.isActive()).isTrue();
    }

    /** The same, and the channel is closed before the flush. */
    @Test
    void closeCompletesThePromiseOfAReleasedBuffer() throws Exception {
        RdmaDatagramChannel closing = bind(new Inbox(), bootstrap -> { });
        ChannelFuture bad = closing.eventLoop().submit(() -> {
            ByteBuf released = Unpooled.buffer(4).writeInt(1);
            ChannelFuture write = closing.write(to(receiver, released));
            released.release();
            closing.close();
            return write;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(bad.await(PATIENCE_MILLIS)).isTrue();
        assertThat(bad.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void aCancelledWriteIsNotSent() throws Exception {
        ChannelFuture cancelled = sender.write(to(receiver, number(1)));
        assertThat(cancelled.cancel(false)).isTrue();
        sender.writeAndFlush(to(receiver, number(2))).sync();
        assertNext(inbox, 2);
    }

    /** Some wait for their handle, some for an entry, some are posted. The close completes at once, as with UDP. */
    @Test
    void closeSendsFlushedDatagrams() throws Exception {
        int flushed = 31;
        RdmaDatagramChannel closing = bind(new Inbox(), bootstrap -> bootstrap
                .option(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, 4));
        long timedOut = closing.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT);
        List<ByteBuf> contents = new ArrayList<>();
        List<ChannelFuture> written = closing.eventLoop().submit(() -> {
            List<ChannelFuture> futures = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                ByteBuf content = number(i).writeZero(i % 2 == 0 ? 0 : closing.maxDatagram() - Integer.BYTES);
                contents.add(content);
                futures.add(closing.write(to(receiver, content)));
                if (i == flushed - 1) {
                    closing.flush();
                }
            }
            closing.close();
            assertThat(closing.isOpen()).isFalse();
            assertThat(closing.closeFuture().isDone()).isTrue();
            return futures;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        for (ChannelFuture each : written.subList(0, flushed)) {
            assertThat(each.await(PATIENCE_MILLIS)).isTrue();
        }
        assumeTrue(closing.loopCounters().get(RdmaCounter.DEPARTURES_TIMED_OUT) == timedOut, "the machine stood still");
        for (ChannelFuture each : written.subList(0, flushed)) {
            each.sync();
        }
        for (ChannelFuture each : written.subList(flushed, 40)) {
            assertThat(each.await(PATIENCE_MILLIS)).isTrue();
            assertThat(each.cause()).isInstanceOf(ClosedChannelException.class);
        }
        assertThat(contents).allMatch(content -> content.refCnt() == 0);
        BitSet seen = new BitSet();
        for (int i = 0; i < flushed; i++) {
            AddressedEnvelope<ByteBuf, DatagramAddress> datagram = inbox.await();
            seen.set(datagram.content().readInt());
            datagram.release();
        }
        assertThat(seen.cardinality()).isEqualTo(flushed);
        assertThat(closing.writeAndFlush(to(receiver, number(1))).await().cause())
                .isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void unboundChannelCanBeClosed() throws Exception {
        RdmaDatagramChannel unbound = new RdmaDatagramChannel();
        group.next().register(unbound).sync();
        unbound.close().sync();
        ByteBuf content = number(1);
        assertThat(unbound.writeAndFlush(to(receiver, content)).await().cause())
                .isInstanceOf(ClosedChannelException.class);
        assertThat(content.refCnt()).isZero();
        assertThat(unbound.prepare(receiver.localAddress()).await().cause())
                .isInstanceOf(ClosedChannelException.class);
    }

    /** It cannot go on elsewhere, and would hear of nothing any more. */
    @Test
    void deregisteredBoundChannelIsClosed() throws Exception {
        RdmaDatagramChannel leaving = bind(new Inbox(), bootstrap -> { });
        leaving.deregister().sync();
        assertThat(leaving.closeFuture().await(PATIENCE_MILLIS)).isTrue();
        assertThat(leaving.writeAndFlush(to(receiver, number(1))).await().cause())
                .isInstanceOf(ClosedChannelException.class);
    }

    /** The loop closes what is bound, with unread datagrams. */
    @Test
    void theEndOfTheLoopReleasesEverything() throws Exception {
        RdmaDatagramChannel reader = bind(new Inbox(), bootstrap -> bootstrap.option(ChannelOption.AUTO_READ, false));
        sender.writeAndFlush(to(reader, number(1))).sync();
        Deadline.standard().until("it is there", () -> reader.eventLoop().submit(reader::isActive).get());
    }

    private ByteBuf number(int value) {
        return RdmaByteBufAllocator.DEFAULT.directBuffer(Integer.BYTES).writeInt(value);
    }
}
