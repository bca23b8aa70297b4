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
package io.nettyrdma.testsuite.datagram;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.AddressedEnvelope;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.DefaultAddressedEnvelope;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.channel.RdmaDatagramChannel;
import io.nettyrdma.channel.RdmaDatagramChannelOption;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.datagram.DatagramImmediate;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDevice;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A process with a channel, or several, which send every datagram back, and report every immediate by a datagram. A
 * peer that connects to its TCP port exchanges addresses with the first, and gets its memory. Several have the same
 * queue key, so that the others can answer its owner too.
 */
final class EfaPeerProcess implements AutoCloseable {

    static final int MEMORY = 1 << 20;
    /** What its memory contains at first. */
    static final byte CONTENT = 0x5a;

    static final int QUEUE_KEY = 0x1cedcafe;

    /** Many channels have room for their completions in few queues, and for their datagrams in a small heap's share. */
    private static final int DEPTH = 16;

    private final ChildProcess process;
    private final int port;
    private final List<Integer> numbers = new ArrayList<>();

    EfaPeerProcess() throws Exception {
        this(1);
    }

    EfaPeerProcess(int channels) throws Exception {
        process = ChildProcess.start(EfaPeerProcess.class, Integer.toString(channels));
        port = Integer.parseInt(process.readLine());
        for (String number : process.readLine().split(" ")) {
            numbers.add(Integer.valueOf(number));
        }
    }

    /** The queue pair numbers of all its channels. */
    List<Integer> numbers() {
        return numbers;
    }

    /** Exchanges addresses. */
    DatagramPeer meet(EventLoopGroup group, RdmaDatagramChannel channel) throws Exception {
        return DatagramExchange.connect(new Bootstrap().group(group).channel(EpollSocketChannel.class),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), channel, List.of(), 0)
                .get(EfaEnds.PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    void stop() throws Exception {
        process.stop();
    }

    void kill() throws InterruptedException {
        process.kill();
    }

    @Override
    public void close() {
        process.close();
    }

    /** The child. */
    public static void main(String[] arguments) throws Exception {
        // It creates objects to find out, and later the device may have none left.
        MemoryAccess[] access = access();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        List<EfaDatagramChannel> channels = new ArrayList<>();
        int count = Integer.parseInt(arguments[0]);
        for (int i = 0; i < count; i++) {
            channels.add(bind(group, count > 1));
        }
        EfaDatagramChannel channel = channels.get(0);
        List<RemoteMemory> memories = access.length == 0 ? List.of()
                : List.of(channel.expose(memory(), access).get().remote());
        Channel listener = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel tcp) {
                        tcp.pipeline().addLast(new DatagramExchange(channel, memories));
                    }
                }).bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        ChildProcess.reportToParent(Integer.toString(((InetSocketAddress) listener.localAddress()).getPort()));
        ChildProcess.reportToParent(channels.stream().map(each -> each.localAddress().queuePairNumber())
                .map(Object::toString).collect(Collectors.joining(" ")));
        // Ends with its parent.
        while (ChildProcess.parentLines().readLine() != null) {
            continue;
        }
        System.exit(0);
    }

    private static ByteBuf memory() {
        byte[] content = new byte[MEMORY];
        Arrays.fill(content, CONTENT);
        return RdmaByteBufAllocator.DEFAULT.directBuffer(MEMORY, MEMORY).writeBytes(content);
    }

    private static EfaDatagramChannel bind(EventLoopGroup group, boolean isOneOfMany) throws Exception {
        Bootstrap bootstrap = new Bootstrap().group(group).channel(EfaDatagramChannel.class).handler(new Echo())
                .option(RdmaDatagramChannelOption.IMMEDIATES, true);
        if (isOneOfMany) {
            bootstrap.option(RdmaDatagramChannelOption.QUEUE_KEY, QUEUE_KEY)
                    .option(RdmaDatagramChannelOption.RECEIVE_QUEUE_DEPTH, DEPTH)
                    .option(RdmaDatagramChannelOption.SEND_QUEUE_DEPTH, DEPTH);
        }
        return (EfaDatagramChannel) bootstrap.bind(DatagramAddress.any()).sync().channel();
    }

    private static MemoryAccess[] access() throws Exception {
        try (RdmaDevice device = RdmaDevice.open(RdmaDevice.list().get(0).name())) {
            DeviceCapabilities has = device.capabilities();
            List<MemoryAccess> access = new ArrayList<>();
            if (has.efa().hasReads()) {
                access.add(MemoryAccess.REMOTE_READ);
            }
            if (has.efa().hasWrites()) {
                access.add(MemoryAccess.REMOTE_WRITE);
            }
            return access.toArray(new MemoryAccess[0]);
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {

        @Override
        @SuppressWarnings("unchecked")
        public void channelRead(ChannelHandlerContext context, Object message) {
            AddressedEnvelope<?, DatagramAddress> envelope = (AddressedEnvelope<?, DatagramAddress>) message;
            context.writeAndFlush(new DefaultAddressedEnvelope<>(envelope.content(), envelope.sender()));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof DatagramImmediate immediate) {
                context.writeAndFlush(new DefaultAddressedEnvelope<>(Unpooled.buffer().writeInt(immediate.value()),
                        immediate.sender()));
            }
        }
    }
}
