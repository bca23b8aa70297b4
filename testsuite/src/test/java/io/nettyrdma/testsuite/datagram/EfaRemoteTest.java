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
import io.netty.channel.ChannelFuture;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.efa.EfaChannelOption;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaAtomic;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import static io.nettyrdma.testsuite.datagram.EfaEnds.number;
import static io.nettyrdma.testsuite.datagram.EfaEnds.to;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Writes and reads of peers' memory over EFA. */
@Tag("device")
class EfaRemoteTest {

    private static final int LARGE = 1_024_000;

    private EfaEnds ends;
    private final Inbox inbox = new Inbox();
    private EfaDatagramChannel owner;
    private EfaDatagramChannel actor;
    private ByteBuf memory;

    @BeforeEach
    void bind() throws Exception {
        EfaEnds.assumeEfa();
        ends = new EfaEnds();
        owner = ends.bind(inbox, bootstrap -> bootstrap.option(RdmaDatagramChannelOption.IMMEDIATES, true));
        actor = ends.bind(new Inbox());
        memory = RdmaByteBufAllocator.DEFAULT.directBuffer(LARGE, LARGE).writeZero(LARGE);
    }

    @AfterEach
    void end() throws Exception {
        if (ends != null) {
            ends.close();
            assertThat(memory.release()).as("the channel has no reference any more").isTrue();
        }
    }

    private RemoteMemory expose(MemoryAccess... access) throws Exception {
        return exposed(access).remote();
    }

    private ExposedMemory exposed(MemoryAccess... access) throws Exception {
        return owner.expose(memory, access).get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        Seeds.newRandom().nextBytes(bytes);
        return bytes;
    }

    private ChannelFuture write(RdmaWrite write) {
        return actor.writeAndFlush(to(owner, write));
    }

    /** Two writes at once, of which either immediate may come first; what was not registered is copied. */
    @Test
    void immediateArrivesAfterItsBytes() throws Exception {
        EfaEnds.assumeWrites();
        EfaEnds.prepare(actor, owner);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_WRITE);
        byte[] bytes = random(LARGE);
        for (ByteBuf source : List.of(actor.alloc().directBuffer(LARGE).writeBytes(bytes),
                Unpooled.wrappedBuffer(bytes), actor.alloc().compositeBuffer()
                        .addComponent(true, Unpooled.wrappedBuffer(bytes, 0, 1_000))
                        .addComponent(true, actor.alloc().directBuffer().writeBytes(bytes, 1_000, LARGE - 1_000)))) {
            memory.setZero(0, LARGE);
            ChannelFuture large = write(new RdmaWrite(source.retainedSlice(0, LARGE - 8),
                    remote.slice(0, LARGE - 8)).withImmediate(1));
            ChannelFuture small = write(new RdmaWrite(source.slice(LARGE - 8, 8),
                    remote.slice(LARGE - 8, 8)).withImmediate(0xffff_ffff));
            for (int i = 0; i < 2; i++) {
                DatagramImmediate immediate = inbox.awaitImmediate();
                boolean isLarge = immediate.value() == 1;
                int from = isLarge ? 0 : LARGE - 8;
                assertThat(immediate.value()).isIn(1, 0xffff_ffff);
                assertThat(immediate.length()).isEqualTo(isLarge ? LARGE - 8 : 8);
                assertThat(memory.slice(from, immediate.length()))
                        .isEqualTo(Unpooled.wrappedBuffer(bytes, from, immediate.length()));
            }
            large.sync();
            small.sync();
            assertThat(source.refCnt()).isZero();
        }
        assertThat(inbox.isEmpty()).isTrue();
    }

    /** The target is not notified. */
    @Test
    void writeWithoutImmediateRaisesNoEvent() throws Exception {
        EfaEnds.assumeWrites();
        EfaEnds.prepare(actor, owner);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_WRITE);
        byte[] bytes = random(5_000);
        write(new RdmaWrite(Unpooled.wrappedBuffer(bytes), remote.slice(100, 5_000))).sync();
        assertThat(memory.slice(100, 5_000)).isEqualTo(Unpooled.wrappedBuffer(bytes));
        assertThat(inbox.isEmpty()).isTrue();
        assertThat(actor.loopCounters().get(RdmaCounter.REMOTE_WRITES)).isEqualTo(1);
        assertThat(actor.loopCounters().get(RdmaCounter.REMOTE_BYTES_WRITTEN)).isEqualTo(5_000);
        write(new RdmaWrite(Unpooled.EMPTY_BUFFER, remote.slice(0, 0))).sync();
        assertGoesOn();
        assertThat(inbox.isEmpty()).isTrue();
    }

    /** The bytes arrive all the same: they are in memory that was exposed. */
    @Test
    void immediateWithoutTheOptionIsRefused() throws Exception {
        EfaEnds.assumeWrites();
        EfaDatagramChannel target = ends.bind(inbox);
        EfaEnds.prepare(actor, target);
        RemoteMemory remote = target.expose(memory, MemoryAccess.REMOTE_WRITE).sync().getNow().remote();
        long refused = target.loopCounters().get(RdmaCounter.IMMEDIATES_REFUSED);
        actor.writeAndFlush(to(target, new RdmaWrite(number(5), remote.slice(0, Integer.BYTES)).withImmediate(1)))
                .sync();
        assertThat(memory.getInt(0)).isEqualTo(5);
        actor.writeAndFlush(to(target, number(77))).sync();
        assertThat(inbox.awaitNumber()).isEqualTo(77);
        Deadline.standard().until("the refusal",
                () -> target.loopCounters().get(RdmaCounter.IMMEDIATES_REFUSED) == refused + 1);
        assertThat(inbox.isEmpty()).isTrue();
    }

    /** For a write without bytes the device checks no key, so that any peer can send one: here the binding alone. */
    @Test
    void immediateOfAnEmptyWriteIsRefused() throws Exception {
        EfaEnds.assumeWrites();
        long refused = owner.loopCounters().get(RdmaCounter.IMMEDIATES_REFUSED);
        RemoteMemory anything = new RemoteMemory(0x1234, 0, 0x666, Set.of(MemoryAccess.REMOTE_WRITE));
        ChannelFuture refusal = write(new RdmaWrite(Unpooled.EMPTY_BUFFER, anything).withImmediate(7));
        assertThat(failure(refusal)).isEqualTo(DatagramFailure.FEATURES);
        assertThat(refusal.cause()).hasMessageContaining("send a datagram");
        int key = 0x1234567;
        try (Endpoint other = new Endpoint(ApiVariant.preferred(),
                new QueuePairConfig(QueuePairType.SRD, 16).withSignalAll(true))) {
            other.activateDatagrams(key);
            owner.prepare(new DatagramAddress(TestDevice.get().gid(), other.queuePair().number(), key)).sync();
            AddressHandle way = other.own(other.domain().createAddressHandle(
                    TestDevice.get().wayTo(TestDevice.get().gid(), 0)));
            for (int i = 0; i < 300; i++) {
                other.send(batch -> batch.writeWithImmediate(1, 0x1234, 0x666, 7)
                        .to(way, owner.localAddress().queuePairNumber(), owner.localAddress().queueKey()).signaled());
                other.sends().awaitSuccess();
            }
        }
        EfaEnds.prepare(actor, owner);
        assertGoesOn();
        Deadline.standard().until("all refusals",
                () -> owner.loopCounters().get(RdmaCounter.IMMEDIATES_REFUSED) == refused + 300);
        assertThat(inbox.isEmpty()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 8_929, LARGE })
    void readReturnsTheBytes(int length) throws Exception {
        EfaEnds.assumeReads();
        EfaEnds.prepare(actor, owner);
        byte[] bytes = random(length);
        memory.setBytes(LARGE - length, bytes);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_READ);
        ByteBuf into = actor.alloc().directBuffer(3 + length).writeZero(3);
        actor.writeAndFlush(to(owner, new RdmaRead(remote.slice(LARGE - length, length), into.retain()))).sync();
        assertThat(actor.loopCounters().get(RdmaCounter.REMOTE_READS)).isEqualTo(1);
        assertThat(actor.loopCounters().get(RdmaCounter.REMOTE_BYTES_READ)).isEqualTo(length);
        assertThat(into.skipBytes(3)).isEqualTo(Unpooled.wrappedBuffer(bytes));
        assertThat(into.release()).isTrue();
    }

    /** Operations, datagrams and immediates at once: each has its own end. */
    @Test
    void operationsAndDatagramsRunConcurrently() throws Exception {
        EfaEnds.assumeWrites();
        EfaEnds.prepare(actor, owner);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ);
        byte[] bytes = random(LARGE);
        memory.setBytes(0, bytes);
        int count = 200;
        int partBytes = LARGE / count;
        List<ChannelFuture> all = new ArrayList<>();
        List<ByteBuf> read = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RemoteMemory part = remote.slice((long) i * partBytes, partBytes);
            ByteBuf into = actor.alloc().directBuffer(partBytes);
            read.add(into);
            all.add(actor.write(to(owner, new RdmaRead(part, into.retain()))));
            all.add(actor.write(to(owner, new RdmaWrite(Unpooled.wrappedBuffer(bytes, i * partBytes, partBytes), part)
                    .withImmediate(i))));
            if (i % 16 == 0) {
                actor.flush();
            }
        }
        actor.flush();
        BitSet immediates = new BitSet();
        for (int i = 0; i < count; i++) {
            immediates.set(inbox.awaitImmediate().value());
        }
        assertThat(immediates.cardinality()).isEqualTo(count);
        for (ChannelFuture each : all) {
            each.sync();
        }
        for (int i = 0; i < count; i++) {
            assertThat(read.get(i)).isEqualTo(Unpooled.wrappedBuffer(bytes, i * partBytes, partBytes));
            read.get(i).release();
        }
        assertThat(memory).isEqualTo(Unpooled.wrappedBuffer(bytes));
    }

    /** Dropped, as its datagrams are; its bytes are in the memory that it was lent. */
    @Test
    void anImmediateOfAnotherPeerIsDropped() throws Exception {
        EfaEnds.assumeWrites();
        EfaEnds.prepare(actor, owner);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_WRITE);
        EfaDatagramChannel friend = ends.bind(new Inbox());
        EfaEnds.prepare(friend, owner);
        owner.connect(friend.localAddress()).sync();
        long dropped = owner.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED);
        write(new RdmaWrite(number(1), remote.slice(0, Integer.BYTES)).withImmediate(1)).sync();
        friend.writeAndFlush(to(owner, new RdmaWrite(number(2), remote.slice(8, Integer.BYTES)).withImmediate(2)))
                .sync();
        assertThat(inbox.awaitImmediate().value()).isEqualTo(2);
        Deadline.standard().until("the other immediate is dropped",
                () -> owner.loopCounters().get(RdmaCounter.DATAGRAMS_DROPPED) == dropped + 1);
        assertThat(memory.getInt(0)).isEqualTo(1);
    }

    // ---- failures ----

    private static DatagramFailure failure(ChannelFuture future) throws Exception {
        assertThat(future.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        assertThat(future.cause()).isInstanceOf(DatagramException.class);
        return ((DatagramException) future.cause()).failure();
    }

    private void assertGoesOn() throws Exception {
        actor.writeAndFlush(to(owner, number(77))).sync();
        assertThat(inbox.awaitNumber()).isEqualTo(77);
    }

    @Test
    void withdrawnMemoryFailsTheReadAlone() throws Exception {
        EfaEnds.assumeReads();
        EfaEnds.prepare(actor, owner);
        ExposedMemory exposed = exposed(MemoryAccess.REMOTE_READ);
        exposed.close().sync();
        ByteBuf into = actor.alloc().directBuffer(100);
        assertThat(failure(actor.writeAndFlush(to(owner, new RdmaRead(exposed.remote().slice(0, 100), into)))))
                .isEqualTo(DatagramFailure.ACCESS);
        assertThat(into.refCnt()).isZero();
        assertGoesOn();
    }

    /** Not by another channel, although it is on the same loop, knows the actor, and exposes something itself. */
    @Test
    void keyOpensMemoryOfTheExposingChannelOnly() throws Exception {
        EfaEnds.assumeReads();
        EfaDatagramChannel neighbour = ends.bind(inbox);
        assertThat(neighbour.eventLoop()).isSameAs(owner.eventLoop());
        EfaEnds.prepare(actor, owner);
        EfaEnds.prepare(actor, neighbour);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_READ);
        ByteBuf others = RdmaByteBufAllocator.DEFAULT.directBuffer(64).writeZero(64);
        neighbour.expose(others, MemoryAccess.REMOTE_READ).sync();
        others.release();
        ByteBuf into = actor.alloc().directBuffer(100);
        assertThat(failure(actor.writeAndFlush(to(neighbour, new RdmaRead(remote.slice(0, 100), into.retain())))))
                .isEqualTo(DatagramFailure.ACCESS);
        actor.writeAndFlush(to(owner, new RdmaRead(remote.slice(0, 100), into))).sync();
        assertGoesOn();
    }

    /** The owner's device has no handle for the actor: the owner has to prepare too. */
    @Test
    void readOfAnUnpreparedPeerIsRefused() throws Exception {
        EfaEnds.assumeReads();
        RemoteMemory remote = expose(MemoryAccess.REMOTE_READ);
        ByteBuf into = actor.alloc().directBuffer(100);
        RdmaRead read = new RdmaRead(remote.slice(0, 100), into.retain());
        assertThat(failure(actor.writeAndFlush(to(owner, read)))).isEqualTo(DatagramFailure.NO_HANDLE_AT_PEER);
        owner.prepare(actor.localAddress()).sync();
        actor.writeAndFlush(to(owner, new RdmaRead(remote.slice(0, 100), into))).sync();
        assertGoesOn();
    }

    @Test
    void invalidOperationFailsAtWrite() throws Exception {
        EfaEnds.prepare(actor, owner);
        RemoteMemory any = new RemoteMemory(0x1000, 8, 1, Set.of(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ,
                MemoryAccess.REMOTE_ATOMIC));
        ByteBuf result = actor.alloc().directBuffer(8);
        assertThat(actor.writeAndFlush(to(owner, RdmaAtomic.fetchAndAdd(any, 1, result))).await().cause())
                .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("SRD");
        assertThat(result.refCnt()).isZero();
        EfaEnds.assumeReads();
        ByteBuf heap = Unpooled.buffer(8);
        assertThat(actor.writeAndFlush(to(owner, new RdmaRead(any, heap))).await().cause())
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("RdmaByteBufAllocator");
        assertThat(heap.refCnt()).isZero();
        ByteBuf into = actor.alloc().directBuffer(8);
        assertThat(actor.writeAndFlush(to(owner, new RdmaRead(any, into).fenced())).await().cause())
                .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("no order");
        assertThat(into.refCnt()).isZero();
        EfaDatagramChannel unreliable = ends.bind(new Inbox(), bootstrap -> bootstrap
                .option(EfaChannelOption.TRANSPORT, QueuePairType.UD));
        assertThat(unreliable.writeAndFlush(to(owner, new RdmaRead(any, actor.alloc().directBuffer(8)))).await()
                .cause()).isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("UD");
        assertGoesOn();
    }

    @Test
    void deviceWithoutWritesFailsTheWrite() throws Exception {
        assumeTrue(!TestDevice.get().capabilities().efa().hasWrites(), "the device has writes");
        EfaEnds.prepare(actor, owner);
        RemoteMemory any = new RemoteMemory(0x1000, Integer.BYTES, 1, Set.of(MemoryAccess.REMOTE_WRITE));
        assertThat(write(new RdmaWrite(number(1), any)).await().cause())
                .isInstanceOf(UnsupportedOperationException.class).hasMessageContaining("rdma-info");
        assertThatThrownBy(() -> expose(MemoryAccess.REMOTE_WRITE)).isInstanceOf(ExecutionException.class);
        assertGoesOn();
    }

    /** The channel withdraws what it has exposed. */
    @Test
    void aCloseWithdrawsTheMemory() throws Exception {
        EfaEnds.assumeReads();
        ExposedMemory exposed = exposed(MemoryAccess.REMOTE_READ);
        assertThat(memory.refCnt()).isGreaterThan(1);
        owner.close().sync();
        assertThat(memory.refCnt()).isEqualTo(1);
        assertThat(exposed.close().await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        assertThatThrownBy(() -> expose(MemoryAccess.REMOTE_READ))
                .hasCauseInstanceOf(ClosedChannelException.class);
        memory.capacity(LARGE / 2);
    }

    /** Large writes in flight when their channel ends: promises end, and nothing is left referenced. */
    @Test
    void aCloseEndsOperations() throws Exception {
        EfaEnds.assumeWrites();
        EfaEnds.prepare(actor, owner);
        RemoteMemory remote = expose(MemoryAccess.REMOTE_WRITE);
        List<ByteBuf> sources = new ArrayList<>();
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ByteBuf source = i % 2 == 0 ? actor.alloc().directBuffer(LARGE).writeZero(LARGE)
                    : Unpooled.directBuffer(LARGE).writeZero(LARGE);
            sources.add(source);
            writes.add(write(new RdmaWrite(source, remote)));
        }
        actor.close().sync();
        for (ChannelFuture each : writes) {
            assertThat(each.await(EfaEnds.PATIENCE_MILLIS)).isTrue();
        }
        assertThat(sources).allMatch(source -> source.refCnt() == 0);
    }
}
