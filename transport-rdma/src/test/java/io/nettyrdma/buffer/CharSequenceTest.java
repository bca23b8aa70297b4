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
import io.netty.buffer.ByteBufUtil;
import io.netty.util.AsciiString;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.charset.Charset;
import java.util.List;

import static java.nio.charset.StandardCharsets.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Writes and reads text; its bytes are those of Java's encoder. */
class CharSequenceTest {

    private static final int CAPACITY = 400;
    private static final int INDEX = 3;
    private static final List<Charset> CHARSETS = List.of(UTF_8, US_ASCII, ISO_8859_1, UTF_16, UTF_16BE, UTF_16LE);
    private static final String ASCII = "The quick brown fox jumps over the lazy dog";
    private static final String LATIN = "S\u00e5 sm\u00e5 \u00f8jne, \u00a7 42 \u00ff";
    private static final String ANY = "\u20ac \u4f60\u597d \ud83d\ude00 \u07ff\u0800\uffff\u0000 A";

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private static List<String> texts(Charset charset) {
        if (charset == US_ASCII) {
            return List.of("", "a", ASCII);
        }
        return charset == ISO_8859_1 ? List.of("", ASCII, LATIN) : List.of("", ASCII, LATIN, ANY);
    }

    @ParameterizedTest
    @EnumSource
    void setCharSequenceWritesTheEncodedText(Shape shape) {
        byte[] our = buffers.randomBytes(CAPACITY);
        ByteBuf ours = shape.make(buffers, our);
        for (Charset charset : CHARSETS) {
            for (String text : texts(charset)) {
                byte[] bytes = text.getBytes(charset);
                System.arraycopy(bytes, 0, our, INDEX, bytes.length);
                assertThat(ours.setCharSequence(INDEX, text, charset)).isEqualTo(bytes.length);
                assertThat(TestBuffers.content(ours)).as("%s in %s", text, charset).isEqualTo(our);
                assertThat(ours.writerIndex()).isZero();

                ours.setZero(INDEX, bytes.length).writerIndex(INDEX);
                assertThat(ours.writeCharSequence(text, charset)).isEqualTo(bytes.length);
                assertThat(TestBuffers.content(ours)).as("%s in %s", text, charset).isEqualTo(our);
                assertThat(ours.writerIndex()).isEqualTo(INDEX + bytes.length);
                ours.clear();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void getCharSequenceDecodesTheBytes(Shape shape) {
        ByteBuf ours = shape.make(buffers, buffers.randomBytes(CAPACITY));
        for (Charset charset : CHARSETS) {
            for (String text : texts(charset)) {
                byte[] bytes = text.getBytes(charset);
                ours.setBytes(INDEX, bytes);
                assertThat(ours.toString(INDEX, bytes.length, charset)).isEqualTo(text);
                assertThat(ours.getCharSequence(INDEX, bytes.length, charset)).hasToString(text);
                assertThat(ours.setIndex(INDEX, INDEX + bytes.length).toString(charset)).isEqualTo(text);
                assertThat(ours.readerIndex()).isEqualTo(INDEX);
                assertThat(ours.readCharSequence(bytes.length, charset)).hasToString(text);
                assertThat(ours.isReadable()).isFalse();
                assertThat(ours.readerIndex(INDEX).readString(bytes.length, charset)).isEqualTo(text);
                assertThat(ours.isReadable()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void unmappableCharactersBecomeQuestionMarks(Shape shape) {
        ByteBuf ours = shape.make(buffers, 100);
        for (Charset charset : new Charset[] { US_ASCII, ISO_8859_1 }) {
            ours.clear().writeCharSequence("a\u20acb", charset);
            assertThat(ours.toString(charset)).isEqualTo("a?b");
        }
        ours.clear().writeCharSequence("\ud800x", UTF_8);
        assertThat(ours.toString(UTF_8)).as("half of a surrogate").isEqualTo("?x");
    }

    /** They are copied without encoding. */
    @ParameterizedTest
    @EnumSource
    void asciiStringsAreAccepted(Shape shape) {
        ByteBuf ours = shape.make(buffers, 100);
        AsciiString text = new AsciiString(ASCII).subSequence(4, 19);
        assertThat(ours.writeCharSequence(text, US_ASCII)).isEqualTo(15);
        assertThat(ByteBufUtil.writeAscii(ours, text)).isEqualTo(15);
        assertThat(ours.toString(US_ASCII)).isEqualTo("quick brown fox".repeat(2));
    }

    @ParameterizedTest
    @EnumSource
    void oversizedTextIsRefused(Shape shape) {
        byte[] our = new byte[10];
        ByteBuf ours = shape.make(buffers, our);
        for (Charset charset : CHARSETS) {
            int tooLong = charset.name().startsWith("UTF-16") ? 6 : 11;
            assertThatExceptionOfType(IndexOutOfBoundsException.class).as("%s", charset)
                    .isThrownBy(() -> ours.setCharSequence(0, ASCII.substring(0, tooLong), charset));
        }
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> ours.toString(5, 6, UTF_8));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> ours.getCharSequence(-1, 2, US_ASCII));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> ours.readCharSequence(11, US_ASCII));
        assertThat(TestBuffers.content(ours)).isEqualTo(our);
        assertThat(ours.readerIndex()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = { "WHOLE", "LEAK_AWARE", "COMPOSITE" })
    void writeCharSequenceGrowsTheBuffer(Shape shape) {
        String text = ANY.repeat(50);
        for (Charset charset : new Charset[] { UTF_8, UTF_16 }) {
            byte[] bytes = text.getBytes(charset);
            ByteBuf ours = shape == Shape.COMPOSITE ? shape.make(buffers, 16)
                    : shape == Shape.LEAK_AWARE ? buffers.leakAware(16, 1 << 20) : buffers.direct(16);
            assertThat(ours.writeCharSequence(text, charset)).isEqualTo(bytes.length);
            assertThat(TestBuffers.readable(ours)).isEqualTo(bytes);
        }
    }
}
