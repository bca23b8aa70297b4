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
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.nettyrdma.buffer.OutOfRegisteredMemoryError;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.verbs.MemoryAccess;

import java.util.Locale;

/** The server's end of a connection: exposes memory for the file that the client offers, and takes the file. */
final class FileReceiver extends SimpleChannelInboundHandler<FileMessage> {

    private final long limit;
    private final FileVerifier verifier;
    private FileMessage.Offer offer;
    /** {@code null} before the client may write, and after it is done. */
    private ExposedMemory exposed;
    /** Whether the connection ends after what was answered, or will be. */
    private boolean over;

    FileReceiver(long limit, FileVerifier verifier) {
        this.limit = limit;
        this.verifier = verifier;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FileMessage message) {
        if (over) {
            return;
        }
        if (message instanceof FileMessage.Offer first && offer == null) {
            offered(context, first);
        } else if (message instanceof FileMessage.Done && exposed != null) {
            done(context);
        } else {
            refuse(context, "this is not the time for " + message);
        }
    }

    private void offered(ChannelHandlerContext context, FileMessage.Offer first) {
        offer = first;
        if (offer.length() > limit) {
            refuse(context, String.format(Locale.ROOT, "the file has %,d bytes, and this server takes %,d at most",
                    offer.length(), limit));
            return;
        }
        // A device registers at least one byte, also for an empty file.
        int size = (int) Math.max(1, offer.length());
        ByteBuf buffer;
        try {
            buffer = RdmaByteBufAllocator.DEFAULT.directBuffer(size, size);
        } catch (OutOfRegisteredMemoryError e) {
            refuse(context, "no memory for the file: " + e.getMessage());
            return;
        }
        ((RdmaChannel) context.channel()).expose(buffer, MemoryAccess.REMOTE_WRITE)
                .addListener((FutureListener<ExposedMemory>) done -> {
                    // The exposed memory keeps the buffer, and releases it at the end of the channel at the latest.
                    buffer.release();
                    exposed(context, done);
                });
    }

    private void exposed(ChannelHandlerContext context, Future<ExposedMemory> done) {
        if (!done.isSuccess()) {
            refuse(context, "the memory for the file cannot be exposed: " + done.cause().getMessage());
            return;
        }
        exposed = done.getNow();
        context.writeAndFlush(new FileMessage.Memory(exposed.remote().slice(0, offer.length())));
    }

    /** Withdraws the memory before its bytes are read: see {@link FileServer}. */
    private void done(ChannelHandlerContext context) {
        over = true;
        ByteBuf received = exposed.buffer().retain();
        exposed.close().addListener(withdrawn -> {
            if (withdrawn.isSuccess()) {
                verifier.verify(offer, received).addListener((FutureListener<Boolean>) verified ->
                        answer(context, verified));
            } else {
                received.release();
                refuse(context, "the memory could not be withdrawn: " + withdrawn.cause().getMessage());
            }
        });
        exposed = null;
    }

    private void answer(ChannelHandlerContext context, Future<Boolean> verified) {
        if (!verified.isSuccess()) {
            refuse(context, "the file could not be verified and stored: " + verified.cause().getMessage());
            return;
        }
        boolean good = verified.getNow();
        System.out.printf(Locale.ROOT, "  server: %s of %,d bytes is %s%n", offer.name(), offer.length(),
                good ? "good" : "BAD, its bytes have another SHA-256");
        context.writeAndFlush(new FileMessage.Verdict(good)).addListener(ChannelFutureListener.CLOSE);
    }

    private void refuse(ChannelHandlerContext context, String reason) {
        over = true;
        System.err.println("file server: refuses " + context.channel().remoteAddress() + ": " + reason);
        context.writeAndFlush(new FileMessage.Refusal(reason)).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (!over && offer != null) {
            System.err.println("file server: the client left before " + offer.name() + " was complete");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!over) {
            refuse(context, cause.getMessage());
        } else {
            context.close();
        }
    }
}
