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
import io.netty.util.IllegalReferenceCountException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Who owns a buffer. These tests release what they make themselves, and the extension finds what is left. */
class ReferenceCountTest {

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private ByteBuf make() {
        return TestAllocator.get().directBuffer(100).writeBytes(buffers.randomBytes(100));
    }

    private static void assertRefused(Runnable call) {
        assertThatExceptionOfType(IllegalReferenceCountException.class).isThrownBy(call::run);
    }

    @ParameterizedTest
    @EnumSource
    void retainAndReleaseCountReferences(Shape shape) {
        ByteBuf buffer = shape.make(buffers, 100);
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.retain()).isSameAs(buffer);
        assertThat(buffer.refCnt()).isEqualTo(2);
        assertThat(buffer.retain(5)).isSameAs(buffer);
        assertThat(buffer.refCnt()).isEqualTo(7);
        assertThat(buffer.release()).isFalse();
        assertThat(buffer.refCnt()).isEqualTo(6);
        assertThat(buffer.release(5)).isFalse();
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.touch()).isSameAs(buffer);
        assertThat(buffer.touch("here")).isSameAs(buffer);
        assertThat(buffer.refCnt()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void invalidCountIsRefusedAndChangesNothing(Shape shape) {
        ByteBuf buffer = shape.make(buffers, 100);
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.retain(0));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.retain(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.release(0));
        assertThatIllegalArgumentException().isThrownBy(() -> buffer.release(-1));
        assertRefused(() -> buffer.release(2));
        assertRefused(() -> buffer.retain(Integer.MAX_VALUE));
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(buffer.getByte(0)).isEqualTo(buffer.getByte(0));
    }

    @Test
    void lastReleaseFreesTheBuffer() {
        ByteBuf buffer = make();
        assertThat(buffer.retain().release()).isFalse();
        assertThat(buffer.release()).isTrue();
        assertThat(buffer.refCnt()).isZero();
        assertRefused(buffer::release);
        assertRefused(() -> buffer.release(2));
        assertRefused(buffer::retain);
        assertRefused(() -> buffer.retain(2));
        assertThat(buffer.refCnt()).isZero();
    }

    @Test
    void oneReleaseDropsSeveralReferences() {
        ByteBuf buffer = make().retain(9);
        assertThat(buffer.release(10)).isTrue();
        assertRefused(buffer::release);
    }

    @Test
    void plainViewsShareTheCount() {
        ByteBuf buffer = make();
        ByteBuf slice = buffer.slice(5, 10);
        ByteBuf duplicate = buffer.duplicate();
        ByteBuf readOnly = buffer.asReadOnly();
        assertThat(buffer.refCnt()).isEqualTo(1);
        slice.retain();
        assertThat(buffer.refCnt()).isEqualTo(2);
        duplicate.retain();
        assertThat(readOnly.refCnt()).isEqualTo(3);
        assertThat(buffer.release()).isFalse();
        assertThat(readOnly.release()).isFalse();
        assertThat(slice.release()).isTrue();
        for (ByteBuf each : List.of(buffer, slice, duplicate, readOnly)) {
            assertThat(each.refCnt()).isZero();
            assertRefused(() -> each.getByte(0));
        }
    }

    @Test
    void retainedViewsKeepTheMemory() {
        List<UnaryOperator<ByteBuf>> views = List.of(
                ByteBuf::retainedSlice, b -> b.retainedSlice(0, 100), ByteBuf::retainedDuplicate,
                b -> b.readRetainedSlice(100), b -> b.retainedDuplicate().asReadOnly(),
                b -> b.retainedSlice().slice(), b -> b.retainedSlice().duplicate(),
                b -> b.retainedDuplicate().slice(), b -> b.slice().retainedSlice(),
                b -> b.duplicate().retainedDuplicate(), b -> b.asReadOnly().retainedSlice());
        for (int i = 0; i < views.size(); i++) {
            ByteBuf buffer = make();
            byte[] bytes = TestBuffers.content(buffer);
            ByteBuf view = views.get(i).apply(buffer);
            assertThat(buffer.release()).as("view %d", i).isFalse();
            // An allocation at this time must not get the memory that the view shows.
            ByteBuf other = buffers.direct(buffers.randomBytes(100));
            assertThat(other.refCnt()).isEqualTo(1);
            assertThat(TestBuffers.readable(view)).as("view %d", i).isEqualTo(bytes);
            assertThat(view.release()).as("view %d", i).isTrue();
            assertThat(view.refCnt()).isZero();
        }
    }

    @Test
    void retainedViewsOfViewsHaveTheirOwnReference() {
        for (boolean outermostFirst : new boolean[] { true, false }) {
            ByteBuf buffer = make();
            byte[] bytes = TestBuffers.content(buffer);
            List<ByteBuf> all = new ArrayList<>(List.of(buffer));
            for (int i = 0; i < 10; i++) {
                ByteBuf last = all.get(i);
                all.add(i % 2 == 0 ? last.retainedSlice() : last.retainedDuplicate());
            }
            while (all.size() > 1) {
                all.remove(outermostFirst ? all.size() - 1 : 0).release();
                for (ByteBuf each : all) {
                    assertThat(each.refCnt()).isPositive();
                    assertThat(TestBuffers.readable(each)).isEqualTo(bytes);
                }
            }
            assertThat(all.get(0).release()).isTrue();
        }
    }

    @Test
    void parallelRetainedViewsHaveTheirOwnReference() {
        ByteBuf buffer = make();
        byte[] bytes = TestBuffers.content(buffer);
        List<ByteBuf> slices = new ArrayList<>();
        while (buffer.isReadable()) {
            slices.add(buffer.readRetainedSlice(10));
        }
        buffer.release();
        for (int i = 0; i < slices.size(); i++) {
            byte[] expected = new byte[10];
            System.arraycopy(bytes, i * 10, expected, 0, 10);
            assertThat(TestBuffers.readable(slices.get(i))).isEqualTo(expected);
            slices.get(i).release();
        }
        assertThat(slices).allMatch(each -> each.refCnt() == 0);
    }

    /** Its object and its memory are reused, and no old state may be left. */
    @Test
    void reusedBufferIsReset() {
        for (int i = 0; i < 1000; i++) {
            ByteBuf buffer = TestAllocator.get().directBuffer(50, 200 + i % 3);
            assertThat(buffer.refCnt()).isEqualTo(1);
            assertThat(buffer.capacity()).isEqualTo(50);
            assertThat(buffer.maxCapacity()).isEqualTo(200 + i % 3);
            assertThat(buffer.readerIndex()).isZero();
            assertThat(buffer.writerIndex()).isZero();
            buffer.setIndex(20, 40).markReaderIndex().markWriterIndex();
            ByteBuf next = TestAllocator.get().directBuffer(50);
            assertThat(next.setIndex(10, 30).resetReaderIndex().readerIndex()).isZero();
            assertThat(next.resetWriterIndex().writerIndex()).isZero();
            next.setIndex(5, 45).markReaderIndex().markWriterIndex().internalNioBuffer(3, 4).get();
            if (i % 4 == 0) {
                next.capacity(500).retain().release();
            }
            next.release();
            buffer.release();
        }
    }
}
