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

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.io.RdmaIoHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/** Files arrive as they are; a failed transfer is reported to the client, and harms no other transfer. */
@Tag("device")
@Timeout(60)
class FileTransferTest {

    private static final int LIMIT = 8 << 20;

    @TempDir
    private Path directory;
    private Path out;
    private FileServer server;
    private FileClient client;

    @BeforeEach
    void start() throws Exception {
        out = directory.resolve("out");
        server = new FileServer(new InetSocketAddress(DeviceAddress.forLocalUse().address(), 0), LIMIT, out);
        client = new FileClient(server.address());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    /** Nothing, a part of a part, exactly one, several and a part, all that the server takes. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, FileSender.PART, 5 * FileSender.PART + 1, LIMIT })
    void aFileArrives(int size) throws Exception {
        FileProgress progress = new FileProgress();
        try (GeneratedFile file = new GeneratedFile(size)) {
            assertThat(client.send(file.path(), FileClient.offer(file.path()), progress)).isTrue();
            assertThat(out).hasSameBinaryContentAs(file.path());
        }
        assertThat(progress.bytes()).isEqualTo(size);
        assertThat(progress.writes()).isEqualTo((size + FileSender.PART - 1) / FileSender.PART);
    }

    @Test
    void wrongHashIsReportedAndStoresNothing() throws Exception {
        try (GeneratedFile file = new GeneratedFile(LIMIT / 2)) {
            FileMessage.Offer honest = FileClient.offer(file.path());
            FileMessage.Offer lie = new FileMessage.Offer(honest.length(), "00".repeat(Sha256.BYTES), honest.name());
            assertThat(client.send(file.path(), lie, new FileProgress())).isFalse();
            assertThat(out).doesNotExist();
            assertThat(client.send(file.path(), honest, new FileProgress())).isTrue();
        }
    }

    @Test
    void oversizedFileIsRefused() throws Exception {
        try (GeneratedFile file = new GeneratedFile(LIMIT + 1)) {
            FileProgress progress = new FileProgress();
            assertThatIOException().isThrownBy(() ->
                    client.send(file.path(), FileClient.offer(file.path()), progress))
                    .withMessageContaining("refuses the file")
                    .withMessageContaining("8,388,609 bytes").withMessageContaining("8,388,608 at most");
            assertThat(progress.writes()).isZero();
        }
    }

    @Test
    void truncatedFileIsReported() throws Exception {
        Path file = Files.write(directory.resolve("file"), new byte[100]);
        FileMessage.Offer offer = FileClient.offer(file);
        Files.write(file, new byte[99]);
        assertThatIOException().isThrownBy(() -> client.send(file, offer, new FileProgress()))
                .withMessageContaining("has become shorter");
    }

    @Test
    void failedStoreIsReported() throws Exception {
        Files.createDirectory(out);
        Path file = Files.write(directory.resolve("file"), new byte[100]);
        assertThatIOException().isThrownBy(() -> client.send(file, FileClient.offer(file), new FileProgress()))
                .withMessageContaining("could not be verified and stored: cannot write " + out);
    }

    /** Bytes in hexadecimal digits: an unknown type, DONE before an offer, a verdict, a frame that is too long. */
    @ParameterizedTest
    @CsvSource({ "000163, unknown type 99", "000103, not the time for Done", "00020401, not the time for Verdict",
            "ffff, exceeds 1024" })
    void invalidMessageEndsTheConnectionWithItsReason(String bytes, String reason) throws Exception {
        assertThat(answerTo(bytes)).isInstanceOfSatisfying(FileMessage.Refusal.class, refusal ->
                assertThat(refusal.reason()).contains(reason));
        aFileArrives(1);
    }

    @Test
    void programExitsWithStatusZero() throws Exception {
        Path file = Files.write(directory.resolve("file"), new byte[1000]);
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        InetSocketAddress to = server.address();
        assertThat(run(errors, "--client", to.getAddress().getHostAddress(), Integer.toString(to.getPort()),
                "--file", file.toString())).isZero();
        assertThat(out).hasSameBinaryContentAs(file);
        assertThat(errors.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void missingListenerAndUsedPortPrintOneLine() throws Exception {
        InetSocketAddress taken = server.address();
        String host = taken.getAddress().getHostAddress();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        assertThat(run(errors, "--server", Integer.toString(taken.getPort()), "--host", host)).isEqualTo(1);
        assertThat(errors.toString(StandardCharsets.UTF_8)).startsWith("bin/file-transfer: cannot listen on ")
                .contains("another port").hasLineCount(1);
        String port;
        try (FileServer closed = new FileServer(new InetSocketAddress(taken.getAddress(), 0), LIMIT, null)) {
            port = Integer.toString(closed.address().getPort());
        }
        errors.reset();
        assertThat(run(errors, "--client", host, port)).isEqualTo(1);
        assertThat(errors.toString(StandardCharsets.UTF_8))
                .startsWith("bin/file-transfer: cannot connect: Connection refused: ")
                .contains("start bin/file-transfer --server there").hasLineCount(1);
    }

    private static int run(ByteArrayOutputStream errors, String... words) throws Exception {
        try (PrintStream stream = new PrintStream(errors, true, StandardCharsets.UTF_8)) {
            return FileTransfer.run(words, stream);
        }
    }

    /** What the server says before it closes the connection. */
    private FileMessage answerTo(String bytes) throws Exception {
        CompletableFuture<FileMessage> answer = new CompletableFuture<>();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            RdmaChannel channel = (RdmaChannel) new Bootstrap().group(group).channel(RdmaChannel.class)
                    .handler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            FileMessageCodec.addTo(channel.pipeline());
                            channel.pipeline().addLast(new Answer(answer));
                        }
                    }).connect(server.address()).sync().channel();
            // Past the codec, which would not write nonsense.
            channel.pipeline().firstContext().writeAndFlush(
                    Unpooled.wrappedBuffer(HexFormat.of().parseHex(bytes))).sync();
            channel.closeFuture().sync();
            return answer.get();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private static final class Answer extends SimpleChannelInboundHandler<FileMessage> {

        private final CompletableFuture<FileMessage> answer;

        Answer(CompletableFuture<FileMessage> answer) {
            this.answer = answer;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FileMessage message) {
            answer.complete(message);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            answer.completeExceptionally(new IOException("closed without an answer"));
        }
    }
}
