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
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Exchanges addresses with a target, and writes twice to its memory. */
final class WriteSource implements AutoCloseable {

    private static final int END_SECONDS = 10;
    /** The target may be started later. */
    private static final int PATIENCE_MILLIS = 30_000;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    private final PrintStream out;

    WriteSource(PrintStream out) {
        this.out = out;
    }

    void write(InetSocketAddress target) throws Exception {
        EfaDatagramChannel channel = (EfaDatagramChannel) new Bootstrap().group(group)
                .channel(EfaDatagramChannel.class).handler(new ChannelInboundHandlerAdapter())
                .bind(DatagramAddress.any()).sync().channel();
        try (DatagramPeer peer = meet(channel, target)) {
            if (peer.memories().size() != 1 || peer.memories().get(0).length() != Writes.MEMORY) {
                throw new IOException("the target lends " + peer.memories() + ", not " + Writes.MEMORY + " bytes");
            }
            out.println("source: writes to " + peer.memories().get(0) + " of " + peer.address());
            channel.connect(peer.address()).sync();
            write(channel, peer.memories().get(0));
        }
    }

    /** Both are in flight at once. */
    private void write(EfaDatagramChannel channel, RemoteMemory memory) throws Exception {
        List<ChannelFuture> writes = new ArrayList<>();
        for (Writes each : Writes.values()) {
            ByteBuf bytes = channel.alloc().directBuffer(each.length());
            each.write(bytes);
            writes.add(channel.write(new RdmaWrite(bytes, memory.slice(each.offset(), each.length()))
                    .withImmediate(each.immediate())));
            writes.get(writes.size() - 1).addListener(done -> out.printf("source: the write with immediate %d %s%n",
                    each.immediate(), done.isSuccess() ? "is complete" : "failed: " + done.cause().getMessage()));
        }
        channel.flush();
        for (ChannelFuture each : writes) {
            each.sync();
        }
    }

    private DatagramPeer meet(EfaDatagramChannel channel, InetSocketAddress target) throws Exception {
        Bootstrap tcp = new Bootstrap().group(group).channel(EpollSocketChannel.class);
        try {
            return DatagramExchange.connect(tcp, target, channel, List.of(), PATIENCE_MILLIS).get();
        } catch (ExecutionException e) {
            throw new IOException("no addresses were exchanged with " + target + ": " + e.getCause().getMessage()
                    + "; start bin/efa-write --server there", e);
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
