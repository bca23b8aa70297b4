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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Calls that do not move a buffer: one at random, with random arguments, some of which are invalid. */
final class RandomCalls {

    private static final Accessor[] ACCESSORS = Accessor.values();

    private final Random random;
    private final List<ModelBuffer> live;
    private final List<Consumer<ModelBuffer>> calls = List.of(
            this::get, this::set, this::read, this::write, this::get, this::set, this::read, this::write,
            this::getArray, this::setArray, this::readArray, this::writeArray,
            this::getByteBuffer, this::setByteBuffer, this::nioBuffer,
            this::getIntoOther, this::setFromOther, this::readIntoOther, this::writeFromOther,
            this::setZero, this::writeZero, this::setIndexes, this::skip, this::marks, this::discard,
            this::discardSome, this::indexOf, this::compare, this::text);

    /** @param live the buffers between which bytes are copied. */
    RandomCalls(Random random, List<ModelBuffer> live) {
        this.random = random;
        this.live = live;
    }

    void call(ModelBuffer model) {
        calls.get(random.nextInt(calls.size())).accept(model);
    }

    /** Mostly small. */
    int length() {
        return random.nextInt(1 << random.nextInt(14));
    }

    /** From 0 to {@code end}; rarely just outside. */
    private int index(int end) {
        return random.nextInt(32) == 0 ? random.nextBoolean() ? -1 : end + 1 : random.nextInt(end + 1);
    }

    private static boolean fits(int index, int length, int end) {
        return index >= 0 && length >= 0 && index <= end - length;
    }

    private void expect(boolean allowed, Runnable call) {
        if (allowed) {
            call.run();
        } else {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(call::run);
        }
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private Accessor accessor() {
        return ACCESSORS[random.nextInt(ACCESSORS.length)];
    }

    private ModelBuffer other() {
        return live.get(random.nextInt(live.size()));
    }

    private void get(ModelBuffer model) {
        Accessor accessor = accessor();
        int index = index(model.capacity());
        expect(fits(index, accessor.width, model.capacity()), () -> {
            long got = accessor.get(model.buffer, index);
            assertNumber(got, accessor.get(model.bytes(), model.offset() + index, ByteOrder.BIG_ENDIAN));
        });
    }

    private void set(ModelBuffer model) {
        Accessor accessor = accessor();
        int index = index(model.capacity());
        long value = random.nextLong();
        expect(fits(index, accessor.width, model.capacity()), () -> {
            accessor.set(model.buffer, index, value);
            accessor.set(model.bytes(), model.offset() + index, value, ByteOrder.BIG_ENDIAN);
        });
    }

    private void read(ModelBuffer model) {
        Accessor accessor = accessor();
        expect(model.writer - model.reader >= accessor.width, () -> {
            long got = accessor.read(model.buffer);
            assertNumber(got, accessor.get(model.bytes(), model.offset() + model.reader, ByteOrder.BIG_ENDIAN));
            model.reader += accessor.width;
        });
    }

    private void write(ModelBuffer model) {
        Accessor accessor = accessor();
        long value = random.nextLong();
        writing(model, accessor.width, () -> accessor.write(model.buffer, value),
                () -> accessor.set(model.bytes(), model.offset() + model.writer, value, ByteOrder.BIG_ENDIAN));
    }

    private static void assertNumber(long got, long expected) {
        if (got != expected) {
            assertThat(got).isEqualTo(expected);
        }
    }

    /** A write grows the buffer if necessary and allowed. */
    private void writing(ModelBuffer model, int length, Runnable call, Runnable onModel) {
        expect(fits(model.writer, length, model.maxCapacity()), () -> {
            call.run();
            if (model.buffer.capacity() != model.capacity()) {
                assertThat(model.writer + length).isGreaterThan(model.capacity());
                model.adoptCapacity(model.writer);
            }
            onModel.run();
            model.writer += length;
        });
    }

    private void getArray(ModelBuffer model) {
        int index = index(model.capacity());
        byte[] got = new byte[length()];
        expect(fits(index, got.length, model.capacity()), () -> {
            model.buffer.getBytes(index, got);
            assertThat(got).isEqualTo(model.copy(index, got.length));
        });
    }

    private void setArray(ModelBuffer model) {
        int index = index(model.capacity());
        byte[] bytes = bytes(length());
        expect(fits(index, bytes.length, model.capacity()), () -> {
            model.buffer.setBytes(index, bytes);
            model.put(index, bytes);
        });
    }

    private void readArray(ModelBuffer model) {
        byte[] got = new byte[length()];
        expect(got.length <= model.writer - model.reader, () -> {
            model.buffer.readBytes(got);
            assertThat(got).isEqualTo(model.copy(model.reader, got.length));
            model.reader += got.length;
        });
    }

    private void writeArray(ModelBuffer model) {
        byte[] bytes = bytes(length());
        writing(model, bytes.length, () -> model.buffer.writeBytes(bytes), () -> model.put(model.writer, bytes));
    }

    private ByteBuffer byteBuffer(int length) {
        return random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
    }

    private void getByteBuffer(ModelBuffer model) {
        int index = index(model.capacity());
        int length = length();
        ByteBuffer got = byteBuffer(length);
        expect(fits(index, length, model.capacity()), () -> {
            model.buffer.getBytes(index, got);
            assertThat(got.flip()).isEqualTo(ByteBuffer.wrap(model.copy(index, length)));
        });
    }

    private void setByteBuffer(ModelBuffer model) {
        int index = index(model.capacity());
        byte[] bytes = bytes(length());
        ByteBuffer from = byteBuffer(bytes.length).put(bytes).flip();
        expect(fits(index, bytes.length, model.capacity()), () -> {
            model.buffer.setBytes(index, from);
            model.put(index, bytes);
        });
    }

    private void nioBuffer(ModelBuffer model) {
        int index = index(model.capacity());
        byte[] bytes = bytes(length());
        expect(fits(index, bytes.length, model.capacity()), () -> {
            ByteBuffer nio = random.nextBoolean() ? model.buffer.nioBuffer(index, bytes.length)
                    : model.buffer.internalNioBuffer(index, bytes.length);
            assertThat(nio).isEqualTo(ByteBuffer.wrap(model.copy(index, bytes.length)));
            nio.put(bytes);
            model.put(index, bytes);
        });
    }

    private void getIntoOther(ModelBuffer model) {
        ModelBuffer other = other();
        int index = index(model.capacity());
        int otherIndex = index(other.capacity());
        int length = length();
        expect(fits(index, length, model.capacity()) && fits(otherIndex, length, other.capacity()), () -> {
            model.buffer.getBytes(index, other.buffer, otherIndex, length);
            other.put(otherIndex, model, index, length);
            other.check(false);
        });
    }

    private void setFromOther(ModelBuffer model) {
        ModelBuffer other = other();
        int index = index(model.capacity());
        int otherIndex = index(other.capacity());
        int length = length();
        expect(fits(index, length, model.capacity()) && fits(otherIndex, length, other.capacity()), () -> {
            model.buffer.setBytes(index, other.buffer, otherIndex, length);
            model.put(index, other, otherIndex, length);
        });
    }

    private void readIntoOther(ModelBuffer model) {
        ModelBuffer other = other();
        if (other == model) {
            return;
        }
        int length = length();
        expect(length <= model.writer - model.reader && length <= other.capacity() - other.writer, () -> {
            model.buffer.readBytes(other.buffer, length);
            other.put(other.writer, model, model.reader, length);
            model.reader += length;
            other.writer += length;
            other.check(false);
        });
    }

    private void writeFromOther(ModelBuffer model) {
        ModelBuffer other = other();
        if (other == model || model.isShared()) {
            return;
        }
        int length = Math.min(length(), other.writer - other.reader);
        writing(model, length, () -> model.buffer.writeBytes(other.buffer, length), () -> {
            model.put(model.writer, other, other.reader, length);
            other.reader += length;
        });
        other.check(false);
    }

    private void setZero(ModelBuffer model) {
        int index = index(model.capacity());
        // Netty accepts any index for a length of 0.
        int length = 1 + length();
        expect(fits(index, length, model.capacity()), () -> {
            model.buffer.setZero(index, length);
            model.put(index, new byte[length]);
        });
    }

    private void writeZero(ModelBuffer model) {
        int length = length();
        writing(model, length, () -> model.buffer.writeZero(length), () -> model.put(model.writer, new byte[length]));
    }

    private void setIndexes(ModelBuffer model) {
        int writer = index(model.capacity());
        int reader = index(Math.max(0, writer));
        expect(reader >= 0 && reader <= writer && writer <= model.capacity(), () -> {
            model.buffer.setIndex(reader, writer);
            model.reader = reader;
            model.writer = writer;
        });
    }

    private void skip(ModelBuffer model) {
        int length = length();
        expect(length <= model.writer - model.reader, () -> {
            model.buffer.skipBytes(length);
            model.reader += length;
        });
    }

    private void marks(ModelBuffer model) {
        model.buffer.markReaderIndex().markWriterIndex().clear();
        model.buffer.resetWriterIndex().resetReaderIndex();
    }

    private void discard(ModelBuffer model) {
        model.buffer.discardReadBytes();
        moved(model);
    }

    private void discardSome(ModelBuffer model) {
        model.buffer.discardSomeReadBytes();
        if (model.buffer.readerIndex() == 0) {
            moved(model);
        }
    }

    private void moved(ModelBuffer model) {
        model.put(0, model, model.reader, model.writer - model.reader);
        model.writer -= model.reader;
        model.reader = 0;
    }

    private void indexOf(ModelBuffer model) {
        if (model.writer > model.reader) {
            int at = model.reader + random.nextInt(model.writer - model.reader);
            byte value = model.bytes()[model.offset() + at];
            int expected = model.reader;
            while (model.bytes()[model.offset() + expected] != value) {
                expected++;
            }
            assertThat(model.buffer.indexOf(model.reader, model.writer, value)).isEqualTo(expected);
            assertThat(model.buffer.bytesBefore(value)).isEqualTo(expected - model.reader);
            assertThat(model.buffer.forEachByte(each -> each != value)).isEqualTo(expected);
        }
    }

    private void compare(ModelBuffer model) {
        ByteBuf heap = Unpooled.wrappedBuffer(model.copy(model.reader, model.writer - model.reader));
        assertThat(model.buffer.equals(heap)).isTrue();
        assertThat(heap.compareTo(model.buffer)).isZero();
        assertThat(model.buffer.hashCode()).isEqualTo(heap.hashCode());
    }

    private void text(ModelBuffer model) {
        int length = Math.min(length(), model.writer - model.reader);
        String expected = new String(model.copy(model.reader, length), ISO_8859_1);
        assertThat(model.buffer.readCharSequence(length, ISO_8859_1)).hasToString(expected);
        model.reader += length;
        String text = expected.substring(0, Math.min(20, length));
        writing(model, text.length(), () -> model.buffer.writeCharSequence(text, ISO_8859_1),
                () -> model.put(model.writer, text.getBytes(ISO_8859_1)));
    }
}
