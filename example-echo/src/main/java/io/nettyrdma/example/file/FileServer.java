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

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Lets clients write files to its memory, one file for each connection.
 *
 * <p>Security: the client may change exposed memory at any time, also while the server reads it. A server that hashes
 * memory which is still exposed accepts bytes that it has never hashed. So this server withdraws the memory first,
 * waits until {@link io.nettyrdma.remote.ExposedMemory#close} has succeeded, and hashes then.
 *
 * <p>The limit holds for each file. All files together are limited by the allocator. A client that offers a file and
 * falls silent keeps its memory until it leaves: a server for strangers needs a time limit too.
 */
final class FileServer implements AutoCloseable {

    /** The longest file that the example takes. */
    static final long MOST_BYTES = 1L << 30;

    private static final int PATIENCE_SECONDS = 5;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final FileVerifier verifier;
    private final Channel listener;

    /**
     * @param limit bytes of the longest file, {@link #MOST_BYTES} at most.
     * @param out the file that gets each good file, {@code null} to store none.
     */
    FileServer(InetSocketAddress address, long limit, Path out) throws IOException, InterruptedException {
        verifier = new FileVerifier(out);
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                // Without it a child exposes nothing, and the client's writes fail.
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        FileMessageCodec.addTo(channel.pipeline());
                        channel.pipeline().addLast(new FileReceiver(limit, verifier));
                    }
                })
                .bind(address).await();
        if (!bound.isSuccess()) {
            group.shutdownGracefully();
            verifier.close();
            throw new IOException("cannot listen on " + address + ": " + bound.cause().getMessage()
                    + (bound.cause() instanceof BindException
                            ? "; give --server another port, or an address of this machine as --host" : ""),
                    bound.cause());
        }
        listener = bound.channel();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    void awaitClose() throws InterruptedException {
        listener.closeFuture().sync();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        // The loop hands files to the verifier, so it ends first.
        group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        verifier.close();
    }
}
