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
package io.nettyrdma.example.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HexFormat;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Messages come back as they were, and a peer's nonsense is refused. */
class FileMessageCodecTest {

    private static final String HASH = "0123456789abcdef".repeat(4);
    private static final RemoteMemory MEMORY = new RemoteMemory(4096, 1L << 30, -7, Set.of(MemoryAccess.REMOTE_WRITE));

    private final EmbeddedChannel channel = new EmbeddedChannel();

    FileMessageCodecTest() {
        FileMessageCodec.addTo(channel.pipeline());
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void messagesRoundTripByteByByte() {
        List<FileMessage> messages = List.of(new FileMessage.Offer(1L << 40, HASH, "a file"),
                new FileMessage.Memory(MEMORY), new FileMessage.Done(), new FileMessage.Verdict(true),
                new FileMessage.Verdict(false), new FileMessage.Refusal("why"));
        for (FileMessage message : messages) {
            channel.writeOutbound(message);
        }
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            while (part.isReadable()) {
                channel.writeInbound(part.readRetainedSlice(1));
            }
            part.release();
        }
        for (FileMessage message : messages) {
            assertThat(channel.<FileMessage>readInbound()).isEqualTo(message);
        }
    }

    @Test
    void textIsLimitedAndHasNoControlCharacters() {
        channel.writeOutbound(new FileMessage.Refusal("a\u001b[2J\n" + "b".repeat(10_000)));
        for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
            channel.writeInbound(part);
        }
        FileMessage.Refusal refusal = channel.readInbound();
        assertThat(refusal.reason()).startsWith("a?[2J?b").hasSizeLessThan(1_000);
    }

    @Test
    void rdmaWritesPassUnchanged() {
        RdmaWrite write = new RdmaWrite(Unpooled.EMPTY_BUFFER, MEMORY);
        channel.writeOutbound(write);
        assertThat(channel.<Object>readOutbound()).isSameAs(write);
    }

    /** Frames in hexadecimal digits: the length in two bytes, the type, the fields. */
    @ParameterizedTest
    @CsvSource({
            "0000,                                                   without a type",
            "000163,                                                 unknown type 99",
            "000201ff,                                               type 1 with 2 bytes",
            "000901ffffffffffffffff,                                 the file has -1 bytes",
            "001902000000000000000000000000000000010000000008000000, access 8",
            "00020300,                                               1 bytes too many",
            "0003040100,                                             1 bytes too many",
            "ffff,                                                   exceeds 1024" })
    void invalidMessageIsRefused(String frame, String reason) {
        assertThatExceptionOfType(DecoderException.class).isThrownBy(() ->
                channel.writeInbound(Unpooled.wrappedBuffer(HexFormat.of().parseHex(frame))))
                .withMessageContaining(reason);
    }
}
