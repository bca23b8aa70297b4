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
package io.nettyrdma.example.efa;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleUserEventChannelHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.verbs.MemoryAccess;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Exposes its memory to every peer that asks over TCP, and checks what the immediates say has been written. */
final class WriteTarget implements AutoCloseable {

    private static final int END_SECONDS = 10;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final ByteBuf memory = RdmaByteBufAllocator.DEFAULT.directBuffer(Writes.MEMORY, Writes.MEMORY);
    private final CompletableFuture<Void> complete = new CompletableFuture<>();
    private final PrintStream out;
    private final InetSocketAddress address;

    WriteTarget(InetSocketAddress wish, PrintStream out) throws Exception {
        this.out = out;
        try {
            EfaDatagramChannel channel = (EfaDatagramChannel) new Bootstrap().group(group)
                    .channel(EfaDatagramChannel.class).option(RdmaDatagramChannelOption.IMMEDIATES, true)
                    .handler(new Checker()).bind(DatagramAddress.any()).sync().channel();
            out.println("target: datagrams of " + channel.maxDatagram() + " bytes at " + channel.localAddress());
            ExposedMemory exposed = channel.expose(memory, MemoryAccess.REMOTE_WRITE).sync().getNow();
            Channel listener = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel tcp) {
                            tcp.pipeline().addLast(new DatagramExchange(channel, List.of(exposed.remote())));
                        }
                    }).bind(wish).sync().channel();
            address = (InetSocketAddress) listener.localAddress();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Where sources exchange addresses. */
    InetSocketAddress address() {
        return address;
    }

    /** Waits until both writes have come. */
    void await() throws Exception {
        try {
            complete.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
        memory.release();
    }

    private final class Checker extends SimpleUserEventChannelHandler<DatagramImmediate> {

        private final Set<Writes> missing = EnumSet.allOf(Writes.class);

        @Override
        protected void eventReceived(ChannelHandlerContext context, DatagramImmediate immediate) throws IOException {
            Writes write = Writes.of(immediate.value());
            if (write == null || immediate.length() != write.length() || !missing.remove(write)) {
                throw new IOException("no peer should have written with immediate " + immediate);
            }
            if (!write.isIn(memory)) {
                throw new IOException("the immediate " + write.immediate() + " came, and its bytes are others");
            }
            out.printf("target: immediate %d from %s: %,d bytes are here and right%n", write.immediate(),
                    immediate.sender(), write.length());
            if (missing.isEmpty()) {
                complete.complete(null);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            complete.completeExceptionally(cause);
        }
    }
}
