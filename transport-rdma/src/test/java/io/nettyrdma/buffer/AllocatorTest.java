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

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** The kind of buffers that are allocated, and that each has its own memory. */
class AllocatorTest {

    private static final int LARGEST_SHIFT = 24;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private final AbstractByteBufAllocator allocator = TestAllocator.get();

    private static List<Integer> sizes() {
        List<Integer> sizes = new ArrayList<>(List.of(0));
        for (int shift = 0; shift <= LARGEST_SHIFT; shift++) {
            for (int about = -1; about <= 1; about++) {
                sizes.add((1 << shift) + about);
            }
        }
        return sizes;
    }

    @Test
    void buffersAreDirectUnlessHeapIsRequested() {
        assertDirect(allocator.buffer(), 256, Integer.MAX_VALUE);
        assertDirect(allocator.buffer(100), 100, Integer.MAX_VALUE);
        assertDirect(allocator.buffer(100, 200), 100, 200);
        assertDirect(allocator.ioBuffer(), 256, Integer.MAX_VALUE);
        assertDirect(allocator.ioBuffer(100), 100, Integer.MAX_VALUE);
        assertDirect(allocator.ioBuffer(100, 200), 100, 200);
        assertDirect(allocator.directBuffer(), 256, Integer.MAX_VALUE);
        assertDirect(allocator.directBuffer(100), 100, Integer.MAX_VALUE);
        assertDirect(allocator.directBuffer(100, 200), 100, 200);
        assertThat(allocator.isDirectBufferPooled()).isTrue();
    }

    private void assertDirect(ByteBuf made, int capacity, int maxCapacity) {
        ByteBuf buffer = buffers.keep(made);
        assertThat(buffer.isDirect()).isTrue();
        assertThat(buffer.isContiguous()).isTrue();
        assertThat(buffer.isReadOnly()).isFalse();
        assertThat(buffer.hasMemoryAddress()).isTrue();
        assertThat(buffer.memoryAddress()).isNotZero();
        assertThat(buffer.hasArray()).isFalse();
        assertThat(buffer.nioBufferCount()).isEqualTo(1);
        assertCapacity(buffer, capacity, maxCapacity);
    }

    /** It is a run of its own, which ends with it. */
    @Test
    void aLargeBufferIsTheSameObjectWhenItIsTakenAgain() {
        RdmaByteBufAllocator own = RdmaByteBufAllocator.builder().build();
        RegisteredByteBuf first = take(own, 1 << 20);
        RegisteredByteBuf again = take(own, 1 << 20);
        assertThat(again).isSameAs(first);
        assertThat(take(own, 1 << 19)).as("of another size").isNotSameAs(first);
        assertThat(take(own, 1 << 20)).as("another one was there").isNotSameAs(first);
        assertThat(own.metric().inUseBytes()).isZero();
    }

    private static RegisteredByteBuf take(RdmaByteBufAllocator own, int bytes) {
        ByteBuf buffer = own.directBuffer(bytes, bytes);
        RegisteredByteBuf unwrapped = RegisteredByteBuf.of(buffer);
        buffer.release();
        return unwrapped;
    }

    @Test
    void heapBuffersHaveAnArray() {
        assertHeap(allocator.heapBuffer(), 256, Integer.MAX_VALUE);
        assertHeap(allocator.heapBuffer(100), 100, Integer.MAX_VALUE);
        assertHeap(allocator.heapBuffer(100, 200), 100, 200);
    }

    private void assertHeap(ByteBuf made, int capacity, int maxCapacity) {
        ByteBuf buffer = buffers.keep(made);
        assertThat(buffer.isDirect()).isFalse();
        assertThat(buffer.hasArray()).isTrue();
        assertThat(buffer.hasMemoryAddress()).isFalse();
        assertCapacity(buffer, capacity, maxCapacity);
        buffer.setByte(7, 9);
        assertThat(buffer.array()[buffer.arrayOffset() + 7]).isEqualTo((byte) 9);
        buffer.writeBytes(buffers.randomBytes(100)).capacity(150);
        assertThat(buffer.readableBytes()).isEqualTo(100);
    }

    private void assertCapacity(ByteBuf buffer, int capacity, int maxCapacity) {
        assertThat(buffer.capacity()).isEqualTo(capacity);
        assertThat(buffer.maxCapacity()).isEqualTo(maxCapacity);
        assertThat(buffer.alloc()).isSameAs(allocator);
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.readerIndex()).isZero();
        assertThat(buffer.writerIndex()).isZero();
    }

    @Test
    void compositeComponentsComeFromTheAllocator() {
        assertComposite(allocator.compositeBuffer(), 16, true);
        assertComposite(allocator.compositeBuffer(3), 3, true);
        assertComposite(allocator.compositeDirectBuffer(), 16, true);
        assertComposite(allocator.compositeDirectBuffer(3), 3, true);
        assertComposite(allocator.compositeHeapBuffer(), 16, false);
        assertComposite(allocator.compositeHeapBuffer(3), 3, false);
    }

    private void assertComposite(CompositeByteBuf made, int maxComponents, boolean direct) {
        CompositeByteBuf buffer = buffers.keep(made);
        assertThat(buffer.alloc()).isSameAs(allocator);
        assertThat(buffer.maxNumComponents()).isEqualTo(maxComponents);
        assertThat(buffer.numComponents()).isZero();
        buffer.writeLong(1);
        assertThat(buffer.numComponents()).isEqualTo(1);
        assertThat(buffer.internalComponent(0).alloc()).isSameAs(allocator);
        assertThat(buffer.isDirect()).isEqualTo(direct);
        assertThat(buffer.readLong()).isEqualTo(1);
    }

    @Test
    void wrongSizesAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.directBuffer(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.directBuffer(10, 9));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.directBuffer(0, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.heapBuffer(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.heapBuffer(10, 9));
    }

    @Test
    void newCapacityEqualsNettys() {
        int threshold = 4 << 20;
        assertThat(allocator.calculateNewCapacity(1, 8)).isEqualTo(8);
        assertThat(allocator.calculateNewCapacity(1, 7)).isEqualTo(7);
        assertThat(allocator.calculateNewCapacity(1, 129)).isEqualTo(64);
        assertThat(allocator.calculateNewCapacity(65, 1000)).isEqualTo(128);
        assertThat(allocator.calculateNewCapacity(threshold, threshold + 1)).isEqualTo(threshold);
        assertThat(allocator.calculateNewCapacity(threshold + 1, threshold * 4)).isEqualTo(threshold * 2);
        assertThat(allocator.calculateNewCapacity(Integer.MAX_VALUE, Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.calculateNewCapacity(8, 7));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.calculateNewCapacity(-1, 8));
    }

    /** All at a time: a buffer that shares a byte with another finds the other's number in it. */
    @Test
    void buffersDoNotOverlap() {
        List<ByteBuf> all = new ArrayList<>();
        for (int size : sizes()) {
            ByteBuf buffer = buffers.direct(size);
            assertThat(buffer.capacity()).isEqualTo(size);
            fill(buffer, all.size());
            all.add(buffer);
        }
        for (int i = 0; i < all.size(); i++) {
            assertFilled(all.get(i), i);
        }
        all.sort(Comparator.comparingLong(ByteBuf::memoryAddress));
        for (int i = 1; i < all.size(); i++) {
            ByteBuf before = all.get(i - 1);
            assertThat(all.get(i).memoryAddress()).as("%d bytes behind %d", all.get(i).capacity(), before.capacity())
                    .isGreaterThanOrEqualTo(before.memoryAddress() + before.capacity());
        }
    }

    private static void fill(ByteBuf buffer, int number) {
        while (buffer.writableBytes() >= Long.BYTES) {
            buffer.writeLong((long) number << 32 | buffer.writerIndex());
        }
        while (buffer.isWritable()) {
            buffer.writeByte(number);
        }
    }

    private static void assertFilled(ByteBuf buffer, int number) {
        buffer.readerIndex(0);
        while (buffer.readableBytes() >= Long.BYTES) {
            long expected = (long) number << 32 | buffer.readerIndex();
            long got = buffer.readLong();
            if (got != expected) {
                assertThat(got).as("buffer %d at %d", number, buffer.readerIndex()).isEqualTo(expected);
            }
        }
        while (buffer.isReadable()) {
            assertThat(buffer.readByte()).as("buffer %d at its end", number).isEqualTo((byte) number);
        }
    }

    /** Small buffers in large numbers, released and allocated again in another order. */
    @Test
    void reusedSlotsDoNotOverlap() {
        ByteBuf[] all = new ByteBuf[2000];
        for (int step = 0; step < 20_000; step++) {
            int i = buffers.random().nextInt(all.length);
            if (all[i] != null) {
                assertFilled(all[i], i);
                all[i].release();
            }
            int size = 1 + buffers.random().nextInt(1 << buffers.random().nextInt(12));
            all[i] = allocator.directBuffer(size, size);
            fill(all[i], i);
        }
        for (int i = 0; i < all.length; i++) {
            if (all[i] != null) {
                assertFilled(all[i], i);
                all[i].release();
            }
        }
    }
}
