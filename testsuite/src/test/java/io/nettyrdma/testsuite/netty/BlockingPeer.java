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
package io.nettyrdma.testsuite.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.Deadline;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The other end of a connection, where the original uses a JDK socket: its calls block. */
final class BlockingPeer extends SimpleChannelInboundHandler<ByteBuf> implements AutoCloseable {

    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(20_000);
    private static final int END = -1;

    private static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(1,
            new DefaultThreadFactory("netty-peer", true), RdmaIoHandler.newFactory());

    private final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
    private volatile SocketChannel channel;

    /** Creates such ends. */
    static final class Listener implements AutoCloseable {

        private final BlockingQueue<BlockingPeer> accepted = new LinkedBlockingQueue<>();
        private final Channel channel;

        Listener(SocketAddress address) throws InterruptedException {
            channel = Ends.newServer(GROUP)
                    .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel child) {
                            BlockingPeer peer = new BlockingPeer();
                            child.pipeline().addLast(peer);
                            accepted.add(peer);
                        }
                    })
                    .bind(address).sync().channel();
        }

        SocketAddress address() {
            return channel.localAddress();
        }

        BlockingPeer accept() throws IOException, InterruptedException {
            return taken(accepted, "no client has connected");
        }

        @Override
        public void close() {
            channel.close().awaitUninterruptibly();
        }
    }

    void connect(SocketAddress address) throws IOException {
        Ends.newClient(GROUP).option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(this).connect(address).syncUninterruptibly();
    }

    void write(int data) throws IOException {
        channel.writeAndFlush(channel.alloc().buffer(1).writeByte(data)).syncUninterruptibly();
    }

    /** The next byte, or -1 at the end. */
    int read() throws IOException, InterruptedException {
        return taken(received, "nothing has come");
    }

    void shutdownOutput() {
        channel.shutdownOutput().syncUninterruptibly();
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close().awaitUninterruptibly();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        channel = (SocketChannel) context.channel();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        while (bytes.isReadable()) {
            received.add((int) bytes.readUnsignedByte());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownReadComplete) {
            received.add(END);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        received.add(END);
    }

    private static <T> T taken(BlockingQueue<T> queue, String otherwise) throws IOException, InterruptedException {
        T next = queue.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        if (next == null) {
            throw new IOException(otherwise + " for " + PATIENCE_MILLIS + " ms");
        }
        return next;
    }
}
