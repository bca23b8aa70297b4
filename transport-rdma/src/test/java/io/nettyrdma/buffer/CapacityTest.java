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
package io.nettyrdma.buffer;

import io.netty.buffer.ByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Buffers that grow and shrink, within their memory and beyond it. */
class CapacityTest {

    /** Around the sizes at which the kind of memory changes: a size class, a page, a chunk of its own. */
    private static final int[] CAPACITIES = {
        0, 1, 63, 64, 65, 127, 128, 129, 200, 1000, 4096, 4097, 65_535, 65_536, 65_537,
        TestAllocator.CHUNK - 1, TestAllocator.CHUNK, TestAllocator.CHUNK + 1, 2 * TestAllocator.CHUNK + 5
    };

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    static int[] capacities() {
        return CAPACITIES;
    }

    @ParameterizedTest
    @MethodSource("capacities")
    void capacityChangeKeepsTheBytesThatFit(int before) {
        byte[] all = buffers.randomBytes(CAPACITIES[CAPACITIES.length - 1]);
        ByteBuf left = buffers.direct(Arrays.copyOf(all, 64));
        for (int after : CAPACITIES) {
            ByteBuf buffer = TestAllocator.get().directBuffer(before);
            ByteBuf right = TestAllocator.get().directBuffer(before).writeBytes(all, 0, before);
            buffer.writeBytes(all, 0, before);
            assertThat(buffer.capacity(after)).isSameAs(buffer);

            int kept = Math.min(before, after);
            assertThat(buffer.capacity()).isEqualTo(after);
            assertThat(buffer.writerIndex()).as("%d to %d", before, after).isEqualTo(kept);
            assertSame(buffer, all, kept);
            // The new part belongs to the buffer too.
            buffer.writeBytes(all, kept, after - kept);
            assertSame(buffer, all, after);
            assertSame(right, all, before);
            buffer.capacity(before);
            assertSame(buffer, all, kept);
            right.release();
            buffer.release();
        }
        assertSame(left, all, 64);
    }

    private static void assertSame(ByteBuf buffer, byte[] all, int count) {
        byte[] got = new byte[count];
        buffer.getBytes(0, got);
        assertThat(Arrays.mismatch(got, 0, count, all, 0, count)).as("first of %d that differs", count).isEqualTo(-1);
    }

    @Test
    void smallerCapacityLimitsTheIndexes() {
        ByteBuf buffer = buffers.direct(100).setIndex(50, 80);
        assertIndexes(buffer.capacity(80), 50, 80);
        assertIndexes(buffer.capacity(79), 50, 79);
        assertIndexes(buffer.capacity(50), 50, 50);
        assertIndexes(buffer.capacity(30), 30, 30);
        assertIndexes(buffer.capacity(0), 0, 0);
        assertIndexes(buffer.capacity(1000), 0, 0);
    }

    private static void assertIndexes(ByteBuf buffer, int reader, int writer) {
        assertThat(buffer.readerIndex()).isEqualTo(reader);
        assertThat(buffer.writerIndex()).isEqualTo(writer);
    }

    @Test
    void theSameCapacityChangesNothing() {
        ByteBuf buffer = buffers.direct(100).setIndex(5, 10);
        long address = buffer.memoryAddress();
        buffer.capacity(100);
        assertThat(buffer.memoryAddress()).isEqualTo(address);
        assertIndexes(buffer, 5, 10);
    }

    /** A slice may be in flight: its memory stays as it is until the last release. */
    @Test
    void oldMemoryOfGrownSharedBufferIsFreedAtRelease() {
        byte[] bytes = buffers.randomBytes(100);
        long before = TestAllocator.inUse();
        ByteBuf buffer = TestAllocator.get().directBuffer(100).writeBytes(bytes);
        long small = TestAllocator.inUse() - before;
        ByteBuffer slice = buffer.retainedSlice().nioBuffer();
        buffer.capacity(1000);
        buffer.capacity(10_000);
        long grown = TestAllocator.inUse() - before;
        ByteBuf other = buffers.direct(100).setZero(0, 100);
        assertThat(slice).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(TestBuffers.readable(buffer)).isEqualTo(bytes);
        assertThat(grown).isGreaterThanOrEqualTo(small + 1000 + 10_000);
        assertThat(other.memoryAddress()).isNotEqualTo(buffer.memoryAddress());

        assertThat(buffer.release()).isFalse();
        // No other buffer can have its memory now.
        buffer.capacity(100_000);
        assertThat(TestAllocator.inUse() - before).isLessThan(grown + 100_000 + 100_000 / 4);
        assertThat(buffer.release()).isTrue();
    }

    @Test
    void sharedBufferShrinksInPlace() {
        ByteBuf buffer = buffers.direct(10_000);
        long address = buffer.memoryAddress();
        buffer.retain().capacity(10);
        assertThat(buffer.memoryAddress()).isEqualTo(address);
        buffer.release();
        buffer.capacity(9);
        assertThat(buffer.memoryAddress()).isNotEqualTo(address);
    }

    @Test
    void aPinnedBufferKeepsItsMemory() {
        byte[] bytes = buffers.randomBytes(100);
        ByteBuf buffer = buffers.direct(100).writeBytes(bytes);
        long address = buffer.memoryAddress();
        for (HeldMemory held : List.of(HeldMemory.pinned(buffer.slice()), HeldMemory.pinned(buffer))) {
            assertThatIllegalStateException().isThrownBy(() -> buffer.writeByte(1).writeZero(1000));
            buffer.writerIndex(100).capacity(1).capacity(100);
            assertThat(buffer.memoryAddress()).isEqualTo(address);
            held.release();
        }
        buffer.setBytes(0, bytes).writerIndex(100).writeZero(1000);
        assertThat(buffer.memoryAddress()).isNotEqualTo(address);
    }

    @Test
    void moreThanTheMaximumIsRefused() {
        byte[] bytes = buffers.randomBytes(100);
        ByteBuf buffer = buffers.direct(100, 200).writeBytes(bytes);
        for (int refused : new int[] { 201, 100_000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE }) {
            assertThatIllegalArgumentException().as("%d", refused).isThrownBy(() -> buffer.capacity(refused));
        }
        assertThat(buffer.capacity()).isEqualTo(100);
        assertThat(TestBuffers.readable(buffer)).isEqualTo(bytes);
        assertThat(buffer.capacity(200).capacity()).isEqualTo(200);
        assertThat(buffer.maxCapacity()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 100, 5000 })
    void accessBeyondTheNewCapacityIsRefused(int capacity) {
        ByteBuf buffer = buffers.direct(10_000).capacity(capacity);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.getByte(capacity));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.setByte(capacity, 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.setBytes(0, new byte[capacity + 1]));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.slice(0, capacity + 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> buffer.nioBuffer(0, capacity + 1));
        assertThat(buffer.nioBuffer(0, capacity).capacity()).isEqualTo(capacity);
    }

    @Test
    void emptyBufferCanGrow() {
        ByteBuf buffer = buffers.direct(0);
        assertThat(buffer.capacity()).isZero();
        assertThat(buffer.isReadable()).isFalse();
        assertThat(buffer.isWritable()).isFalse();
        assertThat(buffer.hasMemoryAddress()).isTrue();
        assertThat(buffer.nioBuffer().remaining()).isZero();
        assertThat(buffer.slice().capacity()).isZero();
        assertThat(TestBuffers.readable(buffer)).isEmpty();
        assertThat(buffer.setBytes(0, new byte[0]).setZero(0, 0).writerIndex()).isZero();
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> buffer.getByte(0));
        buffer.writeLong(0x0102030405060708L);
        assertThat(buffer.readLong()).isEqualTo(0x0102030405060708L);
    }

    /** Netty's empty buffer is shared: it can be released any number of times. */
    @Test
    void bufferWithMaxCapacityZeroTakesNoMemory() {
        ByteBuf buffer = TestAllocator.get().directBuffer(0, 0);
        assertThat(buffer.capacity()).isZero();
        assertThat(buffer.maxCapacity()).isZero();
        assertThat(buffer.alloc()).isSameAs(TestAllocator.get());
        assertThat(buffer.release()).isFalse();
    }

    /** Random capacities; neighbouring buffers must not be affected. */
    @Test
    void randomCapacityChangesKeepAllBytes() {
        byte[] bytes = buffers.randomBytes(100_000);
        ByteBuf[] walkers = new ByteBuf[20];
        int[] kept = new int[walkers.length];
        for (int i = 0; i < walkers.length; i++) {
            walkers[i] = buffers.direct(0);
        }
        for (int step = 0; step < 5000; step++) {
            int i = buffers.random().nextInt(walkers.length);
            int capacity = buffers.random().nextInt(1 << 1 + buffers.random().nextInt(16));
            walkers[i].capacity(capacity);
            kept[i] = Math.min(kept[i], capacity);
            assertSame(walkers[i], bytes, kept[i]);
            if (step % 2 == 0) {
                walkers[i].setBytes(kept[i], bytes, kept[i], capacity - kept[i]);
                kept[i] = capacity;
            }
        }
        for (int i = 0; i < walkers.length; i++) {
            assertSame(walkers[i], bytes, kept[i]);
        }
    }
}
