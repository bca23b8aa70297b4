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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.example.ServerAddress;
import io.nettyrdma.io.RdmaIoHandler;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Sends files, each on a connection of its own. */
final class FileClient implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final InetSocketAddress server;

    FileClient(InetSocketAddress server) {
        this.server = server;
    }

    /** What a client says of a file. Reads the whole file. */
    static FileMessage.Offer offer(Path file) throws IOException {
        return new FileMessage.Offer(Files.size(file), Sha256.of(file), file.getFileName().toString());
    }

    /**
     * Sends a file, and waits for the verdict.
     *
     * @param progress gets the bytes that the server's device has acknowledged.
     * @return whether the server has the file, with the hash of the offer.
     * @throws IOException if the file cannot be read, or the server is not there, refuses it, or leaves.
     */
    boolean send(Path file, FileMessage.Offer offer, FileProgress progress) throws IOException, InterruptedException {
        CompletableFuture<Boolean> verdict = new CompletableFuture<>();
        try (FileChannel in = FileChannel.open(file)) {
            ChannelFuture connected = new Bootstrap()
                    .group(group)
                    .channel(RdmaChannel.class)
                    // A write counts until it is acknowledged, so this bounds the parts in memory.
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK,
                            new WriteBufferWaterMark(FileSender.PART, 2 * FileSender.PART))
                    .handler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            FileMessageCodec.addTo(channel.pipeline());
                            channel.pipeline().addLast(new FileSender(in, offer, progress, verdict));
                        }
                    })
                    .connect(server).await();
            if (!connected.isSuccess()) {
                // Only a missing listener is cured by starting a server; other failures name their cure.
                throw new IOException("cannot connect: " + connected.cause().getMessage()
                        + (ServerAddress.isListenerMissing(connected.cause())
                                ? "; start bin/file-transfer --server there, and give the port that it prints" : ""),
                        connected.cause());
            }
            try {
                return verdict.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException cause) {
                    throw new IOException(cause.getMessage(), cause);
                }
                throw new IllegalStateException(e.getCause());
            } finally {
                // Before the file is closed: the sender reads it on the event loop.
                connected.channel().close().sync();
            }
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
