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
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;

/** Several of our buffers as one. Other tests cover reads and writes of composite buffers, as one of their shapes. */
class CompositeTest {

    private static final int PART = 100;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private byte[] bytes;
    private CompositeByteBuf whole;

    @BeforeEach
    void make() {
        bytes = buffers.randomBytes(3 * PART);
        whole = buffers.keep(TestAllocator.get().compositeBuffer());
        for (int i = 0; i < 3; i++) {
            whole.addComponent(true, part(i));
        }
    }

    private ByteBuf part(int number) {
        return TestAllocator.get().directBuffer(PART).writeBytes(bytes, number * PART, PART);
    }

    @Test
    void componentsAreTheBuffersThemselves() {
        assertThat(TestBuffers.readable(whole)).isEqualTo(bytes);
        assertThat(whole.numComponents()).isEqualTo(3);
        whole.component(1).setByte(7, ++bytes[PART + 7]);
        whole.setLong(2 * PART - 4, 0x0102030405060708L);
        assertThat(whole.internalComponent(1).getInt(PART - 4)).isEqualTo(0x01020304);
        assertThat(whole.internalComponent(2).getInt(0)).isEqualTo(0x05060708);
        assertThat(whole.getByte(PART + 7)).isEqualTo(bytes[PART + 7]);
    }

    @Test
    void compositeOfOneComponentHasItsAddress() {
        assertThat(whole.hasMemoryAddress()).isFalse();
        whole.removeComponents(1, 2);
        assertThat(whole.hasMemoryAddress()).isTrue();
        assertThat(whole.memoryAddress()).isEqualTo(whole.internalComponent(0).memoryAddress());
    }

    @Test
    void releaseReleasesTheComponents() {
        ByteBuf kept = whole.component(2).retain();
        ByteBuf gone = whole.component(0);
        whole.retain().removeComponent(0);
        assertThat(gone.refCnt()).isZero();
        whole.release();
        assertThat(kept.refCnt()).isEqualTo(2);
        kept.release();
    }

    @Test
    void discardReadComponentsReleasesThem() {
        ByteBuf first = whole.component(0);
        whole.readerIndex(PART + 10).discardReadComponents();
        assertThat(first.refCnt()).isZero();
        assertThat(whole.readerIndex()).isEqualTo(10);
        assertThat(TestBuffers.readable(whole)).isEqualTo(Arrays.copyOfRange(bytes, PART + 10, 3 * PART));
        whole.discardReadBytes();
        assertThat(whole.readerIndex()).isZero();
        assertThat(TestBuffers.readable(whole)).isEqualTo(Arrays.copyOfRange(bytes, PART + 10, 3 * PART));
    }

    @Test
    void consolidateMergesTheComponents() {
        whole.consolidate();
        assertThat(whole.numComponents()).isEqualTo(1);
        assertThat(TestBuffers.readable(whole)).isEqualTo(bytes);
        assertThat(whole.internalComponent(0).alloc()).isSameAs(TestAllocator.get());
        assertThat(whole.isDirect()).isTrue();
        assertThat(whole.hasMemoryAddress()).isTrue();
    }

    @Test
    void compositeGrowsWithRegisteredMemory() {
        whole.writerIndex(3 * PART).writeBytes(bytes);
        for (int i = 0; i < whole.numComponents(); i++) {
            assertThat(whole.internalComponent(i).alloc()).isSameAs(TestAllocator.get());
            assertThat(whole.internalComponent(i).isDirect()).isTrue();
        }
        assertThat(Arrays.copyOf(TestBuffers.readable(whole), 6 * PART))
                .startsWith(bytes).endsWith(bytes);
    }

    @Test
    void nettyBuffersWrapOurs() {
        ByteBuf wrapped = Unpooled.wrappedBuffer(part(0), Unpooled.wrappedBuffer(bytes, PART, PART), part(2));
        assertThat(TestBuffers.readable(wrapped)).isEqualTo(bytes);
        ByteBuf copied = Unpooled.copiedBuffer(wrapped, whole);
        assertThat(copied.readableBytes()).isEqualTo(6 * PART);
        ByteBuf fixed = Unpooled.wrappedUnmodifiableBuffer(part(0), part(1), part(2));
        assertThat(TestBuffers.readable(fixed)).isEqualTo(bytes);
        ByteBuf target = buffers.direct(3 * PART).writeBytes(fixed, 0, 3 * PART);
        assertThat(TestBuffers.readable(target)).isEqualTo(bytes);
        wrapped.release();
        copied.release();
        fixed.release();
    }
}
