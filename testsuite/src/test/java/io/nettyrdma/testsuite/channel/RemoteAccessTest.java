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
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.concurrent.Future;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.stream.FailedCompletionException;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Writes, reads and atomics as messages of the pipeline, from the client to memory of the server. */
@Tag("device")
class RemoteAccessTest {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final int SIZE = 64 << 10;
    private static final long SEED = 17;
    private static final long MOST_BYTES = 16 << 20;

    private final LeakWatch leaks = new LeakWatch();
    private final EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final ArrivalRecorder arrivals = new ArrivalRecorder();
    private ChannelPair pair;
    private RdmaChannel client;
    private RdmaChannel server;
    /** Of the server; all of it is 0 at first. */
    private ByteBuf buffer;
    private ExposedMemory exposed;

    @BeforeEach
    void connect() throws Exception {
        pair = new ChannelPair(() -> arrivals, bootstrap -> bootstrap
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true));
        client = pair.connect(new Recorder());
        server = pair.acceptedAndActive();
        buffer = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE, SIZE);
        buffer.setZero(0, SIZE);
        exposed = expose(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ);
    }

    @AfterEach
    void close() throws Exception {
        clients.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        pair.close();
        assertThat(buffer.refCnt()).as("references to the exposed buffer").isEqualTo(1);
        buffer.release();
        leaks.close();
    }

    private ExposedMemory expose(MemoryAccess... access) throws Exception {
        return server.expose(buffer, access).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    // ---- writes ----

    /** 1, a part of a page, more than a staging slot, everything. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 1_000, 20_000, SIZE })
    void writeChangesTheMemoryOfThePeer(int length) throws Exception {
        ByteBuf data = data(client.alloc().directBuffer(length, length), length);
        client.writeAndFlush(new RdmaWrite(data.retain(), exposed.remote())).sync();
        awaitMessage();
        assertThat(buffer.slice(0, length)).isEqualTo(data);
        assertThat(buffer.slice(length, SIZE - length)).isEqualTo(Unpooled.wrappedBuffer(new byte[SIZE - length]));
        data.release();
    }

    @Test
    void unregisteredMemoryIsStaged() throws Exception {
        ByteBuf data = data(Unpooled.buffer(30_000), 30_000);
        client.writeAndFlush(new RdmaWrite(data.retain(), exposed.remote())).sync();
        awaitMessage();
        assertThat(buffer.slice(0, 30_000)).isEqualTo(data);
        data.release();
    }

    @Test
    void compositeBufferIsWrittenByComponent() throws Exception {
        CompositeByteBuf data = client.alloc().compositeDirectBuffer();
        data.addComponent(true, data(client.alloc().directBuffer(5_000), 5_000));
        data.addComponent(true, data(Unpooled.buffer(10_000), 10_000));
        data.addComponent(true, data(client.alloc().directBuffer(3), 3));
        data.readerIndex(100);
        client.writeAndFlush(new RdmaWrite(data.retain(), exposed.remote().slice(7, data.readableBytes()))).sync();
        awaitMessage();
        assertThat(buffer.slice(7, data.readableBytes())).isEqualTo(data);
        data.release();
    }

    /** A message sees the writes before it, however many there are, and however they are mixed. */
    @Test
    void messageArrivesAfterEarlierWrites() throws Exception {
        int rounds = 2_000;
        arrivals.watch(buffer);
        for (int i = 1; i <= rounds; i++) {
            client.write(new RdmaWrite(number(i), exposed.remote().slice(0, Integer.BYTES)));
            client.write(number(i));
            if (i % 7 == 0) {
                client.flush();
            }
        }
        client.flush();
        Deadline.standard().until("all messages have come", () -> arrivals.bytes() == rounds * Integer.BYTES);
        // Later writes may have overtaken the look, but no earlier one may be missing.
        List<Integer> sent = arrivals.numbers();
        List<Integer> seen = arrivals.seen();
        for (int i = 0; i < rounds; i++) {
            assertThat(sent.get(i)).isEqualTo(i + 1);
            assertThat(seen.get(i)).as("the memory when message %d came", i + 1).isGreaterThanOrEqualTo(i + 1);
        }
    }

    @Test
    void promisesSucceedInOrder() throws Exception {
        StringBuilder order = new StringBuilder();
        ChannelFuture first = client.write(new RdmaWrite(number(1), exposed.remote()));
        ChannelFuture second = client.write(number(2));
        ChannelFuture third = client.write(new RdmaWrite(Unpooled.EMPTY_BUFFER, exposed.remote()));
        ChannelFuture fourth = client.write(new RdmaWrite(number(4), exposed.remote()));
        first.addListener(done -> order.append('1'));
        second.addListener(done -> order.append('2'));
        third.addListener(done -> order.append('3'));
        fourth.addListener(done -> order.append('4'));
        client.flush();
        fourth.sync();
        client.eventLoop().submit(() -> { }).sync();
        assertThat(order).hasToString("1234");
    }

    /** A write that the device does not take as one message is sent as several. */
    @Test
    void aLongWriteIsSplit() throws Exception {
        int length = (int) Math.min(MOST_BYTES, TestDevice.get().device().port(1).maxMessageBytes() + 5);
        ByteBuf large = RdmaByteBufAllocator.DEFAULT.directBuffer(length, length);
        ByteBuf data = data(client.alloc().directBuffer(length, length), length);
        RemoteMemory to = server.expose(large, MemoryAccess.REMOTE_WRITE)
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).remote();
        RdmaWrite write = new RdmaWrite(data.retain(), to);
        Object message = immediates() ? write.withImmediate(1) : write;
        ChannelFuture written = client.eventLoop().submit(() -> {
            ChannelFuture begun = client.writeAndFlush(message);
            assertThat(client.isWritable()).as("its bytes count").isFalse();
            return begun;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        written.sync();
        awaitMessage();
        assertThat(large.slice(0, length)).isEqualTo(data);
        assertThat(client.isWritable()).isTrue();
        data.release();
        large.release();
    }

    /** The device must not read what is behind the end of a buffer: it may be another's. */
    @Test
    void writeOfABufferThatShrankFails() throws Exception {
        ByteBuf data = client.alloc().directBuffer(SIZE, SIZE).writeZero(SIZE).setByte(0, 1);
        assertFailsIfCut(data, new RdmaWrite(data, exposed.remote()));
        assertThat(buffer.getByte(0)).isZero();
    }

    @Test
    void readIntoABufferThatShrankFails() throws Exception {
        assumeReads();
        ByteBuf into = client.alloc().directBuffer(SIZE);
        assertFailsIfCut(into, new RdmaRead(exposed.remote(), into));
    }

    private void assertFailsIfCut(ByteBuf cut, Object operation) throws Exception {
        ChannelFuture written = client.eventLoop().submit(() -> {
            ChannelFuture begun = client.write(operation);
            cut.capacity(SIZE - 1);
            client.flush();
            return begun;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(written.await(PATIENCE_MILLIS)).isTrue();
        assertThat(written.cause()).hasStackTraceContaining("its buffer was cut");
        assertThat(client.closeFuture().await(PATIENCE_MILLIS)).isTrue();
    }

    // ---- immediates ----

    /** As the first operation, and behind one whose buffer is gone: it has no memory to hold. */
    @Test
    void emptyWriteDeliversItsImmediate() throws Exception {
        assumeTrue(immediates(), "the device has no immediates");
        for (int i = 1; i <= 3; i++) {
            client.writeAndFlush(new RdmaWrite(Unpooled.EMPTY_BUFFER, exposed.remote()).withImmediate(i)).sync();
            ByteBuf data = data(client.alloc().directBuffer(SIZE, SIZE), SIZE);
            client.writeAndFlush(new RdmaWrite(data, exposed.remote())).sync();
            Deadline.standard().until("the write holds its buffer no more", () -> data.refCnt() == 0);
        }
        Deadline.standard().until("three immediates", () -> arrivals.log().equals("i1 i2 i3 "));
    }

    /** Its highest bit distinguishes frames from applications. */
    @Test
    void anImmediateOfAConnectionHas31Bits() throws Exception {
        assumeTrue(immediates(), "the device has no immediates");
        ByteBuf data = number(1);
        assertThat(client.writeAndFlush(new RdmaWrite(data, exposed.remote()).withImmediate(-1)).await().cause())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("31 bits");
        assertThat(data.refCnt()).isZero();
        client.writeAndFlush(new RdmaWrite(number(1), exposed.remote()).withImmediate(1)).sync();
        Deadline.standard().until("the immediate", () -> arrivals.log().equals("i1 "));
    }

    @Test
    void immediatesArriveInOrderWithTheBytes() throws Exception {
        assumeTrue(immediates(), "the device has no immediates");
        int rounds = 1_000;
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < rounds; i++) {
            client.write(new RdmaWrite(number(i), exposed.remote()).withImmediate(i));
            expected.append('i').append(i).append(' ');
            if (i % 3 == 0) {
                client.write(number(i));
                expected.append('b').append(i).append(' ');
            }
            if (i % 5 == 0) {
                client.flush();
            }
        }
        client.write(new RdmaWrite(Unpooled.EMPTY_BUFFER, exposed.remote()).withImmediate(Integer.MAX_VALUE));
        expected.append('i').append(Integer.MAX_VALUE).append(' ');
        client.flush();
        Deadline.standard().until("all have come", () -> arrivals.log().length() >= expected.length());
        assertThat(arrivals.log()).isEqualTo(expected.toString());
    }

    /** Unread immediates keep their receives, so a peer that sends many waits, and loses none. */
    @Test
    void immediatesWaitForARead() throws Exception {
        assumeTrue(immediates(), "the device has no immediates");
        server.config().setAutoRead(false);
        server.eventLoop().submit(() -> { }).sync();
        int count = 1_000;
        ChannelFuture last = null;
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < count; i++) {
            last = client.writeAndFlush(new RdmaWrite(number(i), exposed.remote()).withImmediate(i));
            expected.append('i').append(i).append(' ');
        }
        ChannelPair.letWork(server.eventLoop());
        ChannelPair.letWork(client.eventLoop());
        assertThat(last.isDone()).as("the last write has found a receive").isFalse();
        assertThat(arrivals.log().length()).isLessThan(expected.length());
        server.config().setAutoRead(true);
        assertThat(last.await(PATIENCE_MILLIS)).isTrue();
        Deadline.standard().until("all have come", () -> arrivals.log().length() >= expected.length());
        assertThat(arrivals.log()).isEqualTo(expected.toString());
    }

    @Test
    void immediateIsRefusedIfTheDeviceHasNone() throws Exception {
        assumeTrue(!immediates(), "the device has immediates");
        ChannelFuture write = client.writeAndFlush(new RdmaWrite(number(1), exposed.remote()).withImmediate(1));
        assertThat(write.await(PATIENCE_MILLIS)).isTrue();
        assertThat(write.cause()).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining(TestDevice.get().device().name());
        client.writeAndFlush(new RdmaWrite(number(2), exposed.remote())).sync();
        awaitMessage();
        assertThat(buffer.getInt(0)).isEqualTo(2);
    }

    // ---- reads ----

    @ParameterizedTest
    @ValueSource(ints = { 1, 10_000, SIZE })
    void readReturnsTheBytesOfThePeer(int length) throws Exception {
        assumeReads();
        data(buffer.clear(), SIZE);
        ByteBuf into = client.alloc().directBuffer(length + 1);
        into.writeByte(1);
        client.writeAndFlush(new RdmaRead(exposed.remote().slice(0, length), into.retain())).sync();
        assertThat(into.readableBytes()).isEqualTo(length + 1);
        assertThat(into.skipBytes(1)).isEqualTo(buffer.slice(0, length));
        into.release();
    }

    /** As many bytes as the high water mark has make the channel unwritable, as with writes. */
    @Test
    void readsCountForWritability() throws Exception {
        assumeReads();
        client.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1, SIZE));
        ByteBuf into = client.alloc().directBuffer(SIZE);
        ChannelFuture read = client.eventLoop().submit(() -> {
            ChannelFuture begun = client.writeAndFlush(new RdmaRead(exposed.remote(), into.retain()));
            assertThat(client.isWritable()).isFalse();
            return begun;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        read.sync();
        client.eventLoop().submit(() -> { }).sync();
        assertThat(client.isWritable()).isTrue();
        into.release();
    }

    /** An index behind the capacity cannot be set: the read fails, and nothing else. */
    @Test
    void bufferThatShrinksDuringAReadFailsTheReadAlone() throws Exception {
        assumeReads();
        ByteBuf into = client.alloc().directBuffer(SIZE);
        ChannelFuture read = client.eventLoop().submit(() -> {
            ChannelFuture begun = client.writeAndFlush(new RdmaRead(exposed.remote(), into.retain()));
            // Its memory stays where it is.
            into.capacity(SIZE - 1);
            return begun;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        ChannelFuture behind = client.writeAndFlush(number(1));
        assertThat(read.await(PATIENCE_MILLIS)).isTrue();
        assertThat(read.cause()).isInstanceOf(IndexOutOfBoundsException.class);
        behind.sync();
        assertThat(client.isActive()).isTrue();
        into.release();
    }

    @Test
    void readIntoUnregisteredMemoryIsRefused() throws Exception {
        assumeReads();
        ByteBuf into = Unpooled.directBuffer(8);
        ChannelFuture read = client.writeAndFlush(new RdmaRead(exposed.remote().slice(0, 8), into));
        assertThat(read.await(PATIENCE_MILLIS)).isTrue();
        assertThat(read.cause()).isInstanceOf(IllegalArgumentException.class);
        assertThat(into.refCnt()).isZero();
        assertThat(client.isActive()).isTrue();
    }

    /** The write is in the memory before the read behind it looks, and the fenced write after it. */
    @Test
    void aFenceWaitsForTheRead() throws Exception {
        assumeReads();
        ByteBuf into = client.alloc().directBuffer(SIZE);
        client.write(new RdmaWrite(number(1), exposed.remote()));
        client.write(new RdmaRead(exposed.remote(), into.retain()));
        client.writeAndFlush(new RdmaWrite(number(2), exposed.remote()).fenced()).sync();
        assertThat(into.readInt()).isEqualTo(1);
        into.release();
    }

    // ---- atomics ----

    @Test
    void atomicsReturnThePreviousValue() throws Exception {
        assumeTrue(TestDevice.get().device().capabilities().atomics(), "the device has no atomics");
        RemoteMemory at = expose(MemoryAccess.REMOTE_ATOMIC).remote().slice(16, RdmaAtomic.SIZE);
        RdmaAtomic add = RdmaAtomic.fetchAndAdd(at, 5, client.alloc().directBuffer(RdmaAtomic.SIZE));
        RdmaAtomic swap = RdmaAtomic.compareAndSwap(at, 5, -1, client.alloc().directBuffer(RdmaAtomic.SIZE));
        RdmaAtomic fails = RdmaAtomic.compareAndSwap(at, 5, 7, client.alloc().directBuffer(RdmaAtomic.SIZE));
        client.write(add);
        client.write(swap);
        client.writeAndFlush(fails).sync();
        assertThat(add.previous()).isZero();
        assertThat(swap.previous()).isEqualTo(5);
        assertThat(fails.previous()).isEqualTo(-1);
        assertThat(buffer.nioBuffer(16, Long.BYTES).order(ByteOrder.nativeOrder()).getLong()).isEqualTo(-1);
    }

    // ---- what is refused ----

    @Test
    void invalidOperationFailsAloneAndKeepsTheOthers() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> {
            ByteBuf data = Unpooled.buffer(9).writeZero(9);
            new RdmaWrite(data, exposed.remote().slice(0, 8));
        }).withMessageContaining("8 bytes");
        RemoteMemory onlyReads = new RemoteMemory(0, 8, 0, Set.of(MemoryAccess.REMOTE_READ));
        assertThatIllegalArgumentException().isThrownBy(() -> new RdmaWrite(Unpooled.EMPTY_BUFFER, onlyReads))
                .withMessageContaining("writes");

        // The client's own channel allows no remote access.
        ChannelFuture back = server.writeAndFlush(new RdmaWrite(number(1), exposed.remote()));
        assertThat(back.await(PATIENCE_MILLIS)).isTrue();
        assertThat(back.cause()).isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("REMOTE_ACCESS");
        assertThat(client.expose(buffer, MemoryAccess.REMOTE_READ).await().cause())
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("REMOTE_ACCESS");
        RdmaChannel unconnected = new RdmaChannel();
        client.eventLoop().register(unconnected).sync();
        assertThat(unconnected.writeAndFlush(new RdmaWrite(number(1), exposed.remote())).await().cause())
                .isInstanceOf(NotYetConnectedException.class);
        unconnected.close().sync();
        awaitMessage();
    }

    /** Writes to withdrawn memory, to memory beyond the region, and with a wrong key end this connection only. */
    @ParameterizedTest
    @ValueSource(strings = { "withdrawn", "beyond", "key", "read only", "foreign" })
    void refusedAccessEndsTheConnection(String which) throws Exception {
        RdmaChannel other = pair.connect(new Recorder());
        RdmaChannel othersServer = pair.acceptedAndActive();
        RemoteMemory real = exposed.remote();
        Set<MemoryAccess> write = EnumSet.of(MemoryAccess.REMOTE_WRITE);
        RemoteMemory memory = switch (which) {
            case "withdrawn" -> {
                exposed.close().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                yield real;
            }
            case "beyond" -> new RemoteMemory(real.address() + SIZE - 2, 4, real.key(), write);
            case "key" -> new RemoteMemory(real.address(), 4, real.key() ^ 0x100, write);
            case "foreign" -> {
                // Another loop has a protection domain of its own. The client has a third one, so children alternate.
                RdmaChannel foreign = othersServer;
                for (int i = 0; i < 2 && foreign.eventLoop() == server.eventLoop(); i++) {
                    pair.bootstrap(new Recorder()).clone(clients).connect(pair.address()).sync();
                    foreign = pair.acceptedAndActive();
                }
                assertThat(foreign.eventLoop()).isNotSameAs(server.eventLoop());
                yield foreign.expose(buffer, MemoryAccess.REMOTE_WRITE)
                        .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).remote();
            }
            default -> {
                RemoteMemory readable = expose(MemoryAccess.REMOTE_READ).remote();
                yield new RemoteMemory(readable.address(), 4, readable.key(), write);
            }
        };
        ChannelFuture before = client.write(number(1));
        ChannelFuture failing = client.write(new RdmaWrite(number(7), memory));
        ChannelFuture behind = client.writeAndFlush(number(2));
        assertThat(failing.await(PATIENCE_MILLIS)).isTrue();
        assertThat(behind.await(PATIENCE_MILLIS)).isTrue();
        if (!isIwarp()) {
            // A completion of iWARP says nothing about the peer.
            assertThat(failing.cause()).isInstanceOfSatisfying(FailedCompletionException.class, failure ->
                    assertThat(failure.status()).isEqualTo(WorkCompletionStatus.REMOTE_ACCESS_ERROR));
            assertThat(behind.isSuccess()).isFalse();
        }
        assertThat(before.isDone()).isTrue();
        assertThat(client.closeFuture().await(PATIENCE_MILLIS)).isTrue();
        assertThat(server.closeFuture().await(PATIENCE_MILLIS)).isTrue();
        assertThat(buffer.slice(0, SIZE)).isEqualTo(Unpooled.wrappedBuffer(new byte[SIZE]));
        other.writeAndFlush(number(3)).sync();
        assertThat(other.isActive()).isTrue();
        other.close().sync();
    }

    /** The peer would write where the buffer was, and no check would notice. */
    @Test
    void anExposedBufferDoesNotMove() throws Exception {
        ByteBuf log = RdmaByteBufAllocator.DEFAULT.directBuffer(SIZE).setZero(0, SIZE);
        ExposedMemory slice = server.expose(log.slice(8, 8), MemoryAccess.REMOTE_WRITE)
                .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThatIllegalStateException().isThrownBy(() -> log.writeZero(SIZE + 1))
                .withMessageContaining("would move");
        log.capacity(16);
        client.writeAndFlush(new RdmaWrite(number(1), slice.remote())).sync();
        awaitMessage();
        assertThat(log.getInt(8)).isEqualTo(1);
        slice.close().sync();
        log.writeZero(SIZE + 1).release();
        assertThat(log.refCnt()).isZero();
    }

    @Test
    void targetOfAReadDoesNotMove() throws Exception {
        assumeReads();
        ByteBuf into = client.alloc().directBuffer(SIZE);
        client.eventLoop().submit(() -> {
            ChannelFuture read = client.writeAndFlush(new RdmaRead(exposed.remote(), into.retain()));
            assertThatIllegalStateException().isThrownBy(() -> into.capacity(2 * SIZE));
            return read;
        }).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        // The transport may release its reference after the promise.
        Deadline.standard().until("the read is over", () -> into.refCnt() == 1);
        assertThat(into.capacity(2 * SIZE).readableBytes()).isEqualTo(SIZE);
        into.release();
    }

    /** It may drop its component while it is exposed. */
    @Test
    void aCompositeIsNotExposed() throws Exception {
        CompositeByteBuf composite = client.alloc().compositeDirectBuffer();
        composite.addComponent(true, number(1));
        for (ByteBuf each : List.of(composite, composite.slice())) {
            assertThat(server.expose(each, MemoryAccess.REMOTE_WRITE).await().cause())
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not composite");
        }
        assertThat(composite.refCnt()).isEqualTo(1);
        composite.release();
    }

    /** Another thread releases its reference before the loop has registered the buffer. */
    @Test
    void callerCanReleaseTheBufferAtOnce() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        server.eventLoop().execute(() -> await(go));
        ByteBuf other = RdmaByteBufAllocator.DEFAULT.directBuffer(8, 8);
        Future<ExposedMemory> exposing = server.expose(other, MemoryAccess.REMOTE_WRITE);
        other.release();
        assertThat(exposing.cancel(false)).as("cancelled").isFalse();
        go.countDown();
        ExposedMemory memory = exposing.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        client.writeAndFlush(new RdmaWrite(number(1), memory.remote())).sync();
        awaitMessage();
        assertThat(other.getInt(0)).isEqualTo(1);
        memory.close().sync();
        assertThat(other.refCnt()).isZero();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theEndOfTheChannelWithdrawsTheMemory() throws Exception {
        client.close().sync();
        Deadline.standard().until("the memory is withdrawn", () -> buffer.refCnt() == 1);
        assertThat(exposed.close().await(PATIENCE_MILLIS)).isTrue();
        assertThat(exposed.close().isSuccess()).isTrue();
    }

    @Test
    void theOptionIsFixedOnceTheQueuePairExists() {
        assertThat(server.config().getOption(RdmaChannelOption.REMOTE_ACCESS)).isTrue();
        assertThat(client.config().getOption(RdmaChannelOption.REMOTE_ACCESS)).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> client.config().setOption(RdmaChannelOption.REMOTE_ACCESS, true));
    }

    private void awaitMessage() throws Exception {
        int before = arrivals.bytes();
        client.writeAndFlush(number(0)).sync();
        Deadline.standard().until("the message behind it has come", () -> arrivals.bytes() > before);
    }

    private static boolean immediates() throws Exception {
        return TestDevice.get().device().capabilities().immediate();
    }

    private static void assumeReads() {
        assumeTrue(!isIwarp(), "reads need memory that the peer may write (iWARP)");
    }

    private static boolean isIwarp() {
        return TestDevice.get().device().info().transport() == RdmaDeviceInfo.Transport.IWARP;
    }

    private static ByteBuf number(int value) {
        return Unpooled.buffer(Integer.BYTES).writeInt(value);
    }

    private static ByteBuf data(ByteBuf into, int length) {
        Random random = new Random(SEED + length);
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return into.writeBytes(bytes);
    }
}
