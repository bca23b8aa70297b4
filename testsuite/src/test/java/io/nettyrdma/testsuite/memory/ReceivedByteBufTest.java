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
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.memory.ReceivedByteBuf;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestLoop;
import io.nettyrdma.verbs.ProtectionDomain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
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
        RegistrationIndex index = closer.add(RdmaByteBufAllocator.DEFAULT.indexFor(domain));
        pool = closer.add(new SlotPool(RdmaByteBufAllocator.DEFAULT, index, loop, SIZE, HEADER, 4));
        slot = pool.take();
    }

    @AfterEach
    void close() throws IOException {
        closer.close();
    }

    private ByteBuf hand(int length) {
        return pool.received(slot).hand(length, released::add, RdmaByteBufAllocator.DEFAULT);
    }

    @Test
    void itIsTheMemoryBehindTheHeader() {
        for (int i = 0; i < SIZE; i++) {
            pool.buffer(slot).put(pool.offset(slot) + i, (byte) i);
        }
        ByteBuf buffer = hand(10);
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.readableBytes()).isEqualTo(10);
        assertThat(buffer.capacity()).isEqualTo(SIZE - HEADER);
        assertThat(buffer.maxCapacity()).isEqualTo(SIZE - HEADER);
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
    void itsLastReleaseGivesTheSlotToTheListener() {
        ByteBuf buffer = hand(10);
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
    void withoutListenerTheSlotIsThePools() {
        ByteBuf buffer = pool.received(slot).hand(1, null, RdmaByteBufAllocator.DEFAULT);
        buffer.release();
        assertThat(pool.inUse()).isZero();
    }

    @Test
    void aReleaseElsewhereIsToldOnTheLoop() throws Exception {
        ByteBuf buffer = hand(10);
        CompletableFuture.runAsync(buffer::release).get();
        assertThat(released).isEmpty();
        assertThat(loop.run()).isTrue();
        assertThat(released).containsExactly(slot);
    }

    @Test
    void whatWasReleasedCannotBeUsed() {
        ByteBuf buffer = hand(10);
        buffer.release();
        assertThat(buffer.refCnt()).isZero();
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::release);
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(buffer::memoryAddress);
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(() -> buffer.getByte(0));
        assertThat(released).containsExactly(slot);
    }

    @Test
    void itIsHandedOutOnceAndThenAgainAsIfItWereNew() {
        ReceivedByteBuf inner = pool.received(slot);
        ByteBuf buffer = hand(50);
        assertThatIllegalStateException().isThrownBy(() -> inner.hand(1, null, RdmaByteBufAllocator.DEFAULT))
                .withMessageContaining("slot " + slot).withMessageContaining("still held");
        inner.mark();
        buffer.skipBytes(20).markReaderIndex().capacity(30);
        buffer.release();
        assertThat(pool.received(slot)).as("used again and again").isSameAs(inner);

        ByteBuf again = hand(60);
        assertThat(again.readableBytes()).isEqualTo(60);
        assertThat(again.capacity()).isEqualTo(SIZE - HEADER);
        assertThat(again.resetReaderIndex().readerIndex()).isZero();
        assertThat(inner.isMarked()).isFalse();
        again.release();
    }

    @Test
    void itsCapacityMovesItsEndAndNeverGrows() {
        ByteBuf buffer = hand(50).setByte(30, 1);
        long address = buffer.memoryAddress();
        buffer.capacity(20);
        assertThat(buffer.writerIndex()).isEqualTo(20);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.slice(15, 6));
        buffer.capacity(SIZE - HEADER);
        assertThat(buffer.getByte(30)).isEqualTo((byte) 1);
        assertThat(buffer.memoryAddress()).isEqualTo(address);
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.capacity(SIZE - HEADER + 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.writeZero(SIZE));
        buffer.release();
    }

    @Test
    void itIsFoundInWhatWrapsIt() {
        ByteBuf buffer = hand(10);
        ReceivedByteBuf inner = ReceivedByteBuf.of(buffer);
        assertThat(inner.memoryAddress()).isEqualTo(pool.address(slot) + HEADER);
        assertThat(ReceivedByteBuf.of(buffer.slice(1, 2))).isSameAs(inner);
        assertThat(ReceivedByteBuf.of(buffer.duplicate().asReadOnly())).isSameAs(inner);
        assertThat(ReceivedByteBuf.of(Unpooled.buffer())).isNull();
        buffer.release();
    }

    /** The memory stays valid as long as a buffer refers to it. */
    @Test
    void itCanBeReadAfterThePoolIsClosed() throws Exception {
        ByteBuf buffer = hand(10).setByte(3, 7);
        pool.close();
        assertThat(buffer.getByte(3)).isEqualTo((byte) 7);
        buffer.release();
        assertThat(released).containsExactly(slot);
    }

    @Test
    void oneThatIsForgottenIsReportedAsALeak() throws Exception {
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
            hand(10).touch("forgotten by " + ReceivedByteBufTest.class.getSimpleName());
            slot = pool.take();
            Deadline.ofSeconds(10).until("a report of the leak, there are " + reports, () -> {
                System.gc();
                // The leak detector reports when the next buffer is created.
                hand(1).release();
                return reports.stream().anyMatch(each -> each.contains("forgotten by ReceivedByteBufTest"));
            });
        } finally {
            ResourceLeakDetector.setLevel(before);
            logger.setUseParentHandlers(true);
            logger.removeHandler(handler);
        }
    }
}
