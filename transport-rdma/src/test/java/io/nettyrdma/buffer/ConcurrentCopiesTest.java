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
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.ByteBuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Two threads may copy to or from different parts of one buffer. So a copy leaves alone what all users of a buffer
 * share: its internal {@link ByteBuffer}, whose position and limit another thread may have set.
 */
class ConcurrentCopiesTest {

    private static final int SIZE = 100;
    private static final int POSITION = 7;
    private static final int LIMIT = 20;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    /** The view that another thread is just using. */
    private static ByteBuffer shared(ByteBuf buffer) {
        return buffer.internalNioBuffer(POSITION, LIMIT - POSITION);
    }

    private static void assertUntouched(ByteBuffer shared, int position) {
        assertThat(shared.position()).isEqualTo(position);
        assertThat(shared.remaining()).isEqualTo(LIMIT - POSITION);
    }

    @ParameterizedTest
    @EnumSource
    void concurrentGetBytesIntoAnotherBuffer(Foreign kind) {
        assumeTrue(!kind.isReadOnly(), "it takes no bytes");
        ByteBuf ours = buffers.direct(buffers.randomBytes(SIZE));
        ByteBuf theirs = buffers.keep(kind.make(new byte[SIZE]));
        assumeTrue(theirs.nioBufferCount() == 1, "no buffer is shared");
        for (ByteBuf to : new ByteBuf[] { theirs, Unpooled.unreleasableBuffer(theirs), theirs.slice() }) {
            ByteBuffer shared = shared(theirs);
            int position = shared.position();
            to.setZero(0, SIZE);
            shared.position(position).limit(position + LIMIT - POSITION);
            ours.getBytes(30, to, 30, 60);
            assertUntouched(shared, position);
            assertThat(theirs.slice(30, 60)).isEqualTo(ours.slice(30, 60));
        }
    }

    @ParameterizedTest
    @EnumSource
    void concurrentSetBytesFromAnotherBuffer(Foreign kind) {
        ByteBuf ours = buffers.direct(buffers.randomBytes(SIZE));
        ByteBuf theirs = buffers.keep(kind.make(buffers.randomBytes(SIZE)));
        assumeTrue(theirs.nioBufferCount() == 1, "no buffer is shared");
        for (ByteBuf from : new ByteBuf[] { theirs, Unpooled.unreleasableBuffer(theirs), theirs.slice() }) {
            ByteBuffer shared = shared(theirs);
            int position = shared.position();
            ours.setBytes(30, from, 30, 60);
            assertUntouched(shared, position);
            assertThat(ours.slice(30, 60)).isEqualTo(theirs.slice(30, 60));
        }
    }

    /** Our own buffer as the other's source or target. */
    @ParameterizedTest
    @EnumSource
    void concurrentCopiesByAnotherBuffer(Foreign kind) {
        ByteBuf ours = buffers.direct(buffers.randomBytes(SIZE));
        ByteBuf theirs = buffers.keep(kind.make(new byte[SIZE]));
        ByteBuffer shared = shared(ours);
        int position = shared.position();
        theirs.getBytes(30, ours, 30, 60);
        if (!kind.isReadOnly()) {
            theirs.setBytes(30, ours, 30, 60);
        }
        ours.copy(30, 60).release();
        assertUntouched(shared, position);
    }
}
