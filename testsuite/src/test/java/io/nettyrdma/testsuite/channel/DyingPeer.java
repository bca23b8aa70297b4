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
package io.nettyrdma.testsuite.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Pattern;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.Supplier;

/** A process with one server for each activity in which a peer may be killed. */
final class DyingPeer implements AutoCloseable {

    /** What the server does with a connection. */
    enum Service {
        /** Echoes. */
        ECHO(EchoHandler::new),
        /** Writes endlessly and reads nothing. */
        SOURCE(Source::new),
        /** Reads nothing, so that its peer's writes stall. */
        SILENCE(ChannelInboundHandlerAdapter::new),
        /** Reads, after it has shut down its output. */
        HALF_CLOSED(HalfClosed::new),
        /** Leaves connection requests unanswered. */
        NO_ANSWER(ChannelInboundHandlerAdapter::new);

        private final Supplier<ChannelHandler> handlers;

        Service(Supplier<ChannelHandler> handlers) {
            this.handlers = handlers;
        }
    }

    private final ChildProcess process;
    private final InetAddress ip;
    private Map<Service, InetSocketAddress> addresses;

    /** Does not wait until the process is ready. */
    DyingPeer(InetAddress ip) throws Exception {
        this.ip = ip;
        process = ChildProcess.start(DyingPeer.class, ip.getHostAddress());
    }

    InetSocketAddress address(Service service) throws InterruptedException {
        if (addresses == null) {
            addresses = new EnumMap<>(Service.class);
            String[] ports = process.readLine().split(" ");
            for (Service each : Service.values()) {
                addresses.put(each, new InetSocketAddress(ip, Integer.parseInt(ports[each.ordinal()])));
            }
        }
        return addresses.get(service);
    }

    /** Makes it connect. Returns when the process reports that it has connected. */
    void connectTo(InetSocketAddress server) throws InterruptedException {
        process.writeLine(Integer.toString(server.getPort()));
        process.readLine();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        process.kill();
    }

    @Override
    public void close() {
        process.close();
    }

    public static void main(String[] arguments) throws Exception {
        InetAddress ip = InetAddress.getByName(arguments[0]);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        StringJoiner ports = new StringJoiner(" ");
        for (Service service : Service.values()) {
            Channel listener = server(group, service).bind(new InetSocketAddress(ip, 0)).sync().channel();
            ports.add(Integer.toString(((InetSocketAddress) listener.localAddress()).getPort()));
        }
        ChildProcess.reportToParent(ports.toString());
        Bootstrap bootstrap = new Bootstrap().group(group).channel(RdmaChannel.class)
                .handler(new ChannelInboundHandlerAdapter());
        BufferedReader lines = ChildProcess.parentLines();
        for (String port = lines.readLine(); port != null; port = lines.readLine()) {
            bootstrap.connect(new InetSocketAddress(ip, Integer.parseInt(port))).sync();
            ChildProcess.reportToParent("connected");
        }
        // The parent is gone and cannot kill it.
        System.exit(1);
    }

    private static ServerBootstrap server(EventLoopGroup group, Service service) {
        return new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .option(ChannelOption.AUTO_READ, service != Service.NO_ANSWER)
                .childOption(ChannelOption.AUTO_READ, service == Service.ECHO || service == Service.HALF_CLOSED)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel child) {
                        child.pipeline().addLast(service.handlers.get());
                    }
                });
    }

    private static final class Source extends ChannelInboundHandlerAdapter {

        private static final int MESSAGE = 10_000;

        private final Pattern written = new Pattern();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            channelWritabilityChanged(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            while (context.channel().isWritable()) {
                context.write(Unpooled.wrappedBuffer(written.next(MESSAGE)));
            }
            context.flush();
        }
    }

    private static final class HalfClosed extends ChannelInboundHandlerAdapter {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ((SocketChannel) context.channel()).shutdownOutput();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
        }
    }
}
