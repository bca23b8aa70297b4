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
package io.nettyrdma.testsuite.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ResourceLeakDetector;
import io.nettyrdma.buffer.HeldMemory;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.ReceivedByteBuf;
import io.nettyrdma.memory.ReceivedPart;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestLoop;
import io.nettyrdma.verbs.ProtectionDomain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Received buffers in the application's hands. The test's thread is the loop. */
@Tag("device")
@OneProcess("it has no peer")
class ReceivedByteBufTest {

    private static final int SIZE = 100;
    private static final int HEADER = 16;

    private final TestLoop loop = new TestLoop();
    private final Closer closer = new Closer();
    private final List<Integer> released = new ArrayList<>();
    private SlotPool pool;
    private int slot;

    @BeforeEach
    void open() throws IOException {
        ProtectionDomain domain = closer.add(TestDevice.get().device().createProtectionDomain());
        RegistrationIndex index = closer.add(RegistrationIndex.of(RdmaByteBufAllocator.DEFAULT, domain));
        pool = closer.add(new SlotPool(RdmaByteBufAllocator.DEFAULT, index, loop, SIZE, HEADER, 4));
        slot = pool.take(0);
    }

    /** The pool keeps a slab until all of its slots are back, and the listener, which is this test, has the slot. */
    @AfterEach
    void close() throws IOException {
        if (pool.inUse() > 0) {
            pool.give(slot);
        }
        assertThat(pool.inUse()).isZero();
        closer.close();
    }

    private ByteBuf toBuffer(int length) {
        return pool.received(slot).toBuffer(length, released::add, RdmaByteBufAllocator.DEFAULT);
    }

    @Test
    void bufferStartsAfterTheHeader() {
        for (int i = 0; i < SIZE; i++) {
            pool.buffer(slot).put(pool.offset(slot) + i, (byte) i);
        }
        ByteBuf buffer = toBuffer(10);
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.readableBytes()).isEqualTo(10);
        assertThat(buffer.capacity()).isEqualTo(SIZE - HEADER);
        assertThat(buffer.maxCapacity()).as("as of a buffer read from a socket").isEqualTo(Integer.MAX_VALUE);
        assertThat(buffer.hasMemoryAddress()).isTrue();
        assertThat(buffer.memoryAddress()).isEqualTo(pool.address(slot) + HEADER);
        assertThat(buffer.isDirect()).isTrue();
        assertThat(buffer.nioBuffer().remaining()).isEqualTo(10);
        for (int i = 0; i < 10; i++) {
            assertThat(buffer.readByte()).isEqualTo((byte) (HEADER + i));
        }
        buffer.release();
    }

    @Test
    void lastReleaseReturnsTheSlotToTheListener() {
        ByteBuf buffer = toBuffer(10);
        buffer.retain();
        buffer.release();
        assertThat(released).isEmpty();
        ByteBuf slice = buffer.readRetainedSlice(3);
        buffer.release();
        assertThat(released).isEmpty();
        slice.release();
        assertThat(released).containsExactly(slot);
        assertThat(pool.inUse()).as("it is the listener's").isEqualTo(1);
        pool.give(slot);
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void releaseWithoutListenerReturnsTheSlotToThePool() {
        ByteBuf buffer = pool.received(slot).toBuffer(1, null, RdmaByteBufAllocator.DEFAULT);
        buffer.release();
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void foreignReleaseIsReportedOnTheLoop() throws Exception {
        ByteBuf buffer = toBuffer(10);
        CompletableFuture.runAsync(buffer::release).get();
        assertThat(released).isEmpty();
        assertThat(loop.run()).isTrue();
        assertThat(released).containsExactly(slot);
    }

    @Test
    void releasedBufferThrows() {
        ByteBuf buffer = toBuffer(10);
        buffer.release();
        assertThat(buffer.refCnt()).isZero();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::release);
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::memoryAddress);
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(() -> buffer.getByte(0));
        assertThat(released).containsExactly(slot);
    }

    @Test
    void reusedBufferIsReset() {
        ReceivedByteBuf inner = pool.received(slot);
        ByteBuf buffer = toBuffer(50);
        assertThatIllegalStateException().isThrownBy(() -> inner.toBuffer(1, null, RdmaByteBufAllocator.DEFAULT))
                .withMessageContaining("slot " + slot).withMessageContaining("still held");
        inner.mark();
        buffer.skipBytes(20).markReaderIndex().capacity(30);
        buffer.release();
        assertThat(pool.received(slot)).as("used again and again").isSameAs(inner);

        ByteBuf again = toBuffer(60);
        assertThat(again.readableBytes()).isEqualTo(60);
        assertThat(again.capacity()).isEqualTo(SIZE - HEADER);
        assertThat(again.resetReaderIndex().readerIndex()).isZero();
        assertThat(inner.isMarked()).isFalse();
        again.release();
    }

    @Test
    void capacityWithinTheSlotNeedsNoCopy() {
        ByteBuf buffer = toBuffer(50).setByte(30, 1);
        long address = buffer.memoryAddress();
        buffer.capacity(20);
        assertThat(buffer.writerIndex()).isEqualTo(20);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.slice(15, 6));
        buffer.capacity(SIZE - HEADER);
        assertThat(buffer.getByte(30)).isEqualTo((byte) 1);
        assertThat(buffer.memoryAddress()).isEqualTo(address);
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.capacity(-1));
        ReceivedByteBuf inner = ReceivedByteBuf.of(buffer);
        buffer.release();
        assertThat(pool.received(slot)).as("used again").isSameAs(inner);
    }

    private byte[] fill(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        Seeds.newRandom().nextBytes(bytes);
        buffer.setBytes(0, bytes);
        return bytes;
    }

    private static byte[] first(ByteBuf buffer, int count) {
        byte[] bytes = new byte[count];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** The slot has no other use, so it can receive again at once. */
    @Test
    void bufferThatOutgrowsItsSlotReturnsTheSlot() {
        long before = RdmaByteBufAllocator.DEFAULT.metric().inUseBytes();
        ByteBuf buffer = toBuffer(50);
        byte[] bytes = fill(buffer);
        ReceivedByteBuf.of(buffer).mark();
        buffer.writeZero(1000);
        assertThat(released).containsExactly(slot);
        assertThat(pool.received(slot)).isNotSameAs(ReceivedByteBuf.of(buffer));
        assertThat(pool.received(slot).isMarked()).as("the mark is the slot's").isTrue();
        ByteBuf next = toBuffer(60).setZero(0, 60);
        assertThat(first(buffer, 50)).isEqualTo(bytes);
        assertThat(buffer.writerIndex()).isEqualTo(1050);
        buffer.capacity(100_000).setByte(99_999, 7).capacity(200_000);
        assertThat(first(buffer, 50)).isEqualTo(bytes);
        assertThat(buffer.getByte(99_999)).isEqualTo((byte) 7);
        assertThat(RdmaByteBufAllocator.DEFAULT.metric().inUseBytes() - before).as("what it outgrew is not kept")
                .isLessThan(300_000);
        buffer.release();
        next.release();
        assertThat(released).containsExactly(slot, slot);
        assertThat(RdmaByteBufAllocator.DEFAULT.metric().inUseBytes()).isEqualTo(before);
    }

    /** A channel may be sending a slice of it, and the device reads the slot. */
    @Test
    void sharedBufferThatOutgrowsItsSlotKeepsTheSlot() {
        long before = RdmaByteBufAllocator.DEFAULT.metric().inUseBytes();
        ByteBuf buffer = toBuffer(50);
        byte[] bytes = fill(buffer);
        ByteBuf slice = buffer.retainedSlice(0, 50);
        ByteBuffer sent = slice.nioBuffer();
        for (int size = 1000; size < 10_000; size *= 2) {
            buffer.writeZero(size);
        }
        ByteBuffer sentLater = buffer.nioBuffer(0, 50);
        buffer.writeZero(20_000).setZero(0, 20);
        assertThat(sent).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(sentLater).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(slice.slice(20, 30)).isEqualTo(Unpooled.wrappedBuffer(bytes, 20, 30));
        assertThat(released).isEmpty();
        buffer.release();
        assertThat(released).isEmpty();
        slice.release();
        assertThat(released).containsExactly(slot);
        assertThat(RdmaByteBufAllocator.DEFAULT.metric().inUseBytes()).isEqualTo(before);
        toBuffer(1).release();
        assertThat(released).containsExactly(slot, slot);
    }

    @Test
    void bufferCanGrowOnAnyThread() throws Exception {
        ByteBuf buffer = toBuffer(50);
        CompletableFuture.runAsync(() -> buffer.writeZero(SIZE)).get();
        assertThat(released).isEmpty();
        assertThat(loop.run()).isTrue();
        assertThat(released).containsExactly(slot);
        CompletableFuture.runAsync(buffer::release).get();
        assertThat(loop.run()).isFalse();
        assertThat(pool.inUse()).isEqualTo(1);
    }

    @Test
    void pinnedBufferDoesNotMove() {
        ByteBuf buffer = toBuffer(50);
        HeldMemory held = HeldMemory.pinned(buffer.slice());
        assertThatIllegalStateException().isThrownBy(() -> buffer.writeZero(SIZE)).withMessageContaining("would move");
        buffer.capacity(20).capacity(SIZE - HEADER);
        held.release();
        buffer.writeZero(SIZE).release();
        assertThat(released).containsExactly(slot);
    }

    @Test
    void failedGrowthChangesNothing() throws Exception {
        RdmaByteBufAllocator tight = RdmaByteBufAllocator.builder().chunkBytes(1 << 20).maxRegisteredBytes(1 << 20)
                .build();
        ProtectionDomain domain = closer.add(TestDevice.get().device().createProtectionDomain());
        RegistrationIndex tightIndex = closer.add(RegistrationIndex.of(tight, domain));
        SlotPool small = closer.add(new SlotPool(tight, tightIndex, loop, SIZE, HEADER, 4));
        ByteBuf buffer = small.received(small.take(0)).toBuffer(50, null, tight);
        byte[] bytes = fill(buffer);
        assertThatExceptionOfType(OutOfRegisteredMemoryError.class).isThrownBy(() -> buffer.capacity(2 << 20));
        assertThat(buffer.capacity()).isEqualTo(SIZE - HEADER);
        assertThat(first(buffer, 50)).isEqualTo(bytes);
        assertThat(buffer.release()).isTrue();
        assertThat(small.inUse()).isZero();
    }

    @Test
    void sliceHasItsBytesAndRetainsTheBuffer() {
        ByteBuf whole = toBuffer(50);
        byte[] bytes = fill(whole);
        ByteBuf part = ReceivedPart.read(whole, 20);
        ByteBuf second = ReceivedPart.read(whole, 20);
        assertThat(whole.readerIndex()).isEqualTo(40);
        assertThat(part.alloc()).isSameAs(whole.alloc());
        assertThat(part.capacity()).isEqualTo(20);
        assertThat(part).isEqualTo(Unpooled.wrappedBuffer(bytes, 0, 20));
        assertThat(second).isEqualTo(Unpooled.wrappedBuffer(bytes, 20, 20));
        assertThat(part.memoryAddress()).as("nothing is copied").isEqualTo(pool.address(slot) + HEADER);
        assertThat(ReceivedByteBuf.of(second.slice())).isSameAs(ReceivedByteBuf.of(whole));
        part.writeZero(30);
        assertThat(second).isEqualTo(Unpooled.wrappedBuffer(bytes, 20, 20));
        assertThat(part).isEqualTo(Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(bytes, 0, 20), Unpooled.wrappedBuffer(
                new byte[30])));
        // The other part is in the slot.
        whole.writeZero(1000);
        assertThat(second).isEqualTo(Unpooled.wrappedBuffer(bytes, 20, 20));
        whole.release();
        part.release();
        assertThat(released).isEmpty();
        second.release();
        assertThat(released).containsExactly(slot);
    }

    @Test
    void bufferIsFoundInItsWrappers() {
        ByteBuf buffer = toBuffer(10);
        ReceivedByteBuf inner = ReceivedByteBuf.of(buffer);
        assertThat(inner.memoryAddress()).isEqualTo(pool.address(slot) + HEADER);
        assertThat(ReceivedByteBuf.of(buffer.slice(1, 2))).isSameAs(inner);
        assertThat(ReceivedByteBuf.of(buffer.duplicate().asReadOnly())).isSameAs(inner);
        assertThat(ReceivedByteBuf.of(Unpooled.buffer())).isNull();
        buffer.release();
    }

    /** The memory stays valid as long as a buffer refers to it. */
    @Test
    void bufferCanBeReadAfterThePoolIsClosed() throws Exception {
        ByteBuf buffer = toBuffer(10).setByte(3, 7);
        pool.close();
        assertThat(buffer.getByte(3)).isEqualTo((byte) 7);
        buffer.release();
        assertThat(released).containsExactly(slot);
    }

    @Test
    void unreleasedBufferIsReportedAsALeak() throws Exception {
        ResourceLeakDetector.Level before = ResourceLeakDetector.getLevel();
        Logger logger = Logger.getLogger(ResourceLeakDetector.class.getName());
        List<String> reports = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                reports.add(record.getMessage());
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
        try {
            toBuffer(10).touch("forgotten by " + ReceivedByteBufTest.class.getSimpleName());
            int forgotten = slot;
            slot = pool.take(0);
            Deadline.standard().until("a report of the leak, there are " + reports, () -> {
                System.gc();
                // The leak detector reports when the next buffer is created.
                toBuffer(1).release();
                return reports.stream().anyMatch(each -> each.contains("forgotten by ReceivedByteBufTest"));
            });
            pool.give(forgotten);
        } finally {
            ResourceLeakDetector.setLevel(before);
            logger.setUseParentHandlers(true);
            logger.removeHandler(handler);
        }
    }
}
