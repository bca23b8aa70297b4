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
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.MemoryAccess;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CompletableFuture;

/**
 * The client's end of a connection: offers the file, and writes it to the server's memory. It reads a part only while
 * the channel is writable, so it never has more than a few of them in memory.
 */
final class FileSender extends SimpleChannelInboundHandler<FileMessage> {

    /** Bytes of an RDMA write. */
    static final int PART = 1 << 20;

    private final FileChannel file;
    private final FileMessage.Offer offer;
    private final FileProgress progress;
    private final CompletableFuture<Boolean> verdict;
    /** Of the server; {@code null} before it has sent it. */
    private RemoteMemory memory;
    /** Bytes of the file that are written to the channel. */
    private long written;
    private boolean done;

    FileSender(FileChannel file, FileMessage.Offer offer, FileProgress progress, CompletableFuture<Boolean> verdict) {
        this.file = file;
        this.offer = offer;
        this.progress = progress;
        this.verdict = verdict;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.writeAndFlush(offer);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FileMessage message) throws IOException {
        if (message instanceof FileMessage.Refusal refusal) {
            throw new IOException("the server refuses the file: " + refusal.reason());
        } else if (message instanceof FileMessage.Memory exposed && memory == null) {
            begin(context, exposed.memory());
        } else if (message instanceof FileMessage.Verdict last && done) {
            verdict.complete(last.good());
        } else {
            throw new IOException("the server has sent " + message + ", for which it is not the time");
        }
    }

    private void begin(ChannelHandlerContext context, RemoteMemory exposed) throws IOException {
        if (exposed.length() != offer.length() || !exposed.allows(MemoryAccess.REMOTE_WRITE)) {
            throw new IOException("the server offers " + exposed + " for " + offer.length() + " bytes to write");
        }
        memory = exposed;
        progress.begin(offer.length());
        writeParts(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws IOException {
        writeParts(context);
    }

    private void writeParts(ChannelHandlerContext context) throws IOException {
        Channel channel = context.channel();
        if (memory == null || done || !channel.isActive()) {
            return;
        }
        while (written < offer.length() && channel.isWritable()) {
            ByteBuf part = nextPart(context);
            int bytes = part.readableBytes();
            RdmaWrite write = new RdmaWrite(part, memory.slice(written, bytes));
            written += bytes;
            context.write(write).addListener(acknowledged -> {
                if (acknowledged.isSuccess()) {
                    progress.acknowledged(bytes);
                } else {
                    fail(context, new IOException("the file cannot be written to the server's memory: "
                            + acknowledged.cause().getMessage(), acknowledged.cause()));
                }
            });
        }
        if (written == offer.length()) {
            done = true;
            // The server gets it when all writes before it are in its memory.
            context.write(new FileMessage.Done());
        }
        context.flush();
    }

    /** Reads on the event loop, which is free to: this is the only connection of the loop. */
    private ByteBuf nextPart(ChannelHandlerContext context) throws IOException {
        int bytes = (int) Math.min(PART, offer.length() - written);
        // The channel's allocator registers its memory, so the device sends the part without a copy.
        ByteBuf part = context.alloc().directBuffer(bytes, bytes);
        try {
            while (part.isWritable()) {
                int at = part.writerIndex();
                if (part.writeBytes(file, written + at, bytes - at) < 0) {
                    throw new EOFException(offer.name() + " has become shorter while it was sent");
                }
            }
            return part;
        } catch (IOException e) {
            part.release();
            throw e;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(context, new IOException("the server has closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(context, cause instanceof IOException || cause instanceof RuntimeException ? cause
                : new IOException(cause));
    }

    private void fail(ChannelHandlerContext context, Throwable cause) {
        verdict.completeExceptionally(cause);
        context.close();
    }
}
