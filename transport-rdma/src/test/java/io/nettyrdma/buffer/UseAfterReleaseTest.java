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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A released buffer refuses every use through every view. Each use is first tried on a live buffer, because a refusal
 * for another reason would prove nothing.
 */
class UseAfterReleaseTest {

    private static final int CAPACITY = 64;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    @TempDir
    Path directory;

    private FileChannel file;

    @BeforeEach
    void open() throws IOException {
        Path path = Files.write(directory.resolve("file"), new byte[CAPACITY]);
        file = FileChannel.open(path, READ, WRITE);
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    private enum View {
        WHOLE, SLICE, DUPLICATE, SLICE_OF_DUPLICATE, RETAINED_SLICE, LITTLE_ENDIAN, READ_ONLY, LEAK_AWARE;

        boolean isSlice() {
            return this == SLICE || this == SLICE_OF_DUPLICATE || this == RETAINED_SLICE;
        }
    }

    /** The caller releases it. */
    @SuppressWarnings("deprecation")
    private ByteBuf make(View view) {
        ByteBuf buffer = TestAllocator.get().directBuffer(CAPACITY, CAPACITY).setZero(0, CAPACITY);
        return switch (view) {
            case WHOLE -> buffer;
            case SLICE -> buffer.slice(0, CAPACITY);
            case DUPLICATE -> buffer.duplicate();
            case SLICE_OF_DUPLICATE -> buffer.duplicate().slice(0, CAPACITY);
            case RETAINED_SLICE -> {
                ByteBuf slice = buffer.retainedSlice(0, CAPACITY);
                buffer.release();
                yield slice;
            }
            case LITTLE_ENDIAN -> buffer.order(ByteOrder.LITTLE_ENDIAN);
            case READ_ONLY -> buffer.asReadOnly();
            case LEAK_AWARE -> {
                buffer.release();
                yield TestBuffers.newLeakAware(CAPACITY, CAPACITY).setZero(0, CAPACITY);
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void readAfterReleaseIsRefused(View view) {
        assertAllRefused(view, Use.reading(file));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ_ONLY")
    void writeAfterReleaseIsRefused(View view) {
        assertAllRefused(view, Use.writing(file));
    }

    /** Slices always refuse a new capacity, and Netty's read-only view can always be duplicated. */
    private static boolean isOutOfQuestion(View view, Use use) {
        return view.isSlice() && use.name().equals("capacity")
                || view == View.READ_ONLY && use.name().equals("duplicate");
    }

    private void assertAllRefused(View view, List<Use> uses) {
        for (Use use : uses) {
            if (isOutOfQuestion(view, use)) {
                continue;
            }
            ByteBuf alive = make(view).setIndex(CAPACITY / 4, CAPACITY / 2);
            assertThat(catchThrowable(() -> use.call().on(alive))).as("%s before it is released", use).isNull();
            assertThat(alive.release()).isTrue();

            ByteBuf dead = make(view).setIndex(CAPACITY / 4, CAPACITY / 2);
            assertThat(dead.release()).isTrue();
            assertThat(catchThrowable(() -> use.call().on(dead))).as("%s after it is released", use)
                    .isInstanceOf(IllegalReferenceCountException.class);
            assertThat(dead.refCnt()).as("%s", use).isZero();
        }
    }

    /** At the other end of a copy, where another buffer's method is called. */
    @ParameterizedTest
    @EnumSource
    void copyAfterReleaseIsRefused(Foreign foreign) {
        ByteBuf alive = buffers.keep(foreign.make(new byte[CAPACITY]));
        ByteBuf dead = make(View.WHOLE);
        dead.release();
        List<Use> uses = new ArrayList<>(List.of(
                new Use("getBytes", b -> b.getBytes(0, dead, 0, 1)),
                new Use("readBytes", b -> b.readBytes(dead, 0, 1))));
        if (!foreign.isReadOnly()) {
            uses.add(new Use("setBytes", b -> b.setBytes(0, dead, 0, 1)));
            uses.add(new Use("writeBytes", b -> b.clear().writeBytes(dead, 0, 1)));
        }
        for (Use use : uses) {
            assertThat(catchThrowable(() -> use.call().on(alive))).as("%s", use)
                    .isInstanceOf(IllegalReferenceCountException.class);
        }
    }
}
