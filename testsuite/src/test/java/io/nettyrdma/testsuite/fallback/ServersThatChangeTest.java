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
package io.nettyrdma.testsuite.fallback;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.resolver.InetSocketAddressResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.nettyrdma.fallback.RdmaOrTcp.Transport;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import io.nettyrdma.fallback.RdmaOrTcpServerChannel;
import io.nettyrdma.testsuite.channel.Recorder;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.LogLines;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A service has RDMA at one time or at one of its hosts, and not at another. */
@Tag("device")
class ServersThatChangeTest {

    private static final int HOSTS = 2;
    private static final int CONNECTS = 6;
    private static final int ATTEMPTS = 5;
    private static final int SILENT_PEERS = 10;
    private static final String NAME = "service.example";

    private final OnePort port = new OnePort();

    @AfterEach
    void end() {
        port.close();
    }

    private Transport transportTo(InetSocketAddress address) throws Exception {
        Recorder recorder = new Recorder();
        Channel client = OnePort.assertIsEchoed(port.client(recorder).connect(address), recorder);
        Transport transport = RdmaOrTcp.transport(client);
        assertThat(RdmaOrTcp.transport(port.assertEndsWith(client, recorder))).isEqualTo(transport);
        return transport;
    }

    /** A listener of NIO whose close is over keeps its port until its loop selects. */
    private Channel bindAgain(EventLoopGroup group, InetSocketAddress address) throws Exception {
        ServerBootstrap server = port.server(group, RdmaOrTcpServerChannel.class);
        AtomicReference<ChannelFuture> bind = new AtomicReference<>();
        Deadline.standard().until("the port", () -> {
            bind.set(server.bind(address).await());
            return bind.get().isSuccess();
        });
        return bind.get().channel();
    }

    @Test
    void clientFollowsAServerThatLosesAndGetsRdma() throws Exception {
        try (LogLines log = new LogLines(RdmaOrTcpChannel.class.getName(), Level.INFO)) {
            Channel server = port.listen();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            assertThat(transportTo(address)).isEqualTo(Transport.RDMA);
            server.close().sync();
            server = bindAgain(port.withoutRdma(), address);
            assertThat(transportTo(address)).isEqualTo(Transport.TCP);
            assertThat(transportTo(address)).isEqualTo(Transport.TCP);
            server.close().sync();
            bindAgain(port.withRdma(), address);
            assertThat(transportTo(address)).isEqualTo(Transport.RDMA);
            assertThat(log.messages()).filteredOn(line -> line.contains(address.toString()))
                    .hasSize(3).element(1).asString().contains("TCP").contains("refused");
        }
    }

    /** The addresses of a name, in turns. */
    private static final class InTurns extends AddressResolverGroup<InetSocketAddress> {

        private final AtomicInteger next = new AtomicInteger();
        private final List<InetAddress> hosts;

        InTurns(List<InetAddress> hosts) {
            this.hosts = hosts;
        }

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new InetSocketAddressResolver(executor, new InetNameResolver(executor) {
                @Override
                protected void doResolve(String name, Promise<InetAddress> promise) {
                    promise.setSuccess(hosts.get(next.getAndIncrement() % hosts.size()));
                }

                @Override
                protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
                    promise.setSuccess(hosts);
                }
            });
        }
    }

    /** Another program may have the port of one of them at the other. */
    private int listenAtBoth(InetAddress withRdma, InetAddress without) throws Exception {
        for (int attempt = 1; ; attempt++) {
            Channel both = port.server(port.withRdma(), RdmaOrTcpServerChannel.class).bind(withRdma, 0).sync()
                    .channel();
            int number = ((InetSocketAddress) both.localAddress()).getPort();
            ChannelFuture bind = port.server(port.withoutRdma(), RdmaOrTcpServerChannel.class).bind(without, number)
                    .await();
            if (bind.isSuccess()) {
                return number;
            }
            assertThat(attempt).as("attempts, and the last ended with " + bind.cause()).isLessThan(ATTEMPTS);
            both.close().sync();
        }
    }

    /** Each address is a host with RDMA; at one of them the service listens by TCP alone. */
    @Test
    void hostsOfANameDiffer() throws Exception {
        InetAddress first = TestDevice.get().ipv4();
        InetAddress second = TestDevice.get().ipv6();
        int number = listenAtBoth(first, second);
        InTurns hosts = new InTurns(List.of(first, second));
        List<Transport> used = new ArrayList<>();
        for (int i = 0; i < CONNECTS; i++) {
            Recorder recorder = new Recorder();
            Bootstrap client = port.client(recorder).resolver(hosts);
            Channel channel = OnePort.assertIsEchoed(
                    client.connect(InetSocketAddress.createUnresolved(NAME, number)), recorder);
            used.add(RdmaOrTcp.transport(channel));
            port.assertEndsWith(channel, recorder);
        }
        for (int i = 0; i < CONNECTS; i++) {
            assertThat(used.get(i)).isEqualTo(i % HOSTS == 0 ? Transport.RDMA : Transport.TCP);
        }
    }

    /** A client without RDMA, a client by RDMA, and many peers at both ports that connect and say nothing. */
    @Test
    void silentPeersStopNoOthers() throws Exception {
        Channel server = port.listen();
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Recorder byRdma = new Recorder();
        Channel rdma = OnePort.assertIsEchoed(port.client(byRdma).connect(address), byRdma);
        Recorder byTcp = new Recorder();
        Channel tcp = OnePort.assertIsEchoed(OnePort.client(port.withoutRdma(), NioSocketChannel.class, byTcp)
                .connect(address), byTcp);
        List<Socket> sockets = new ArrayList<>();
        List<ChannelFuture> connects = new ArrayList<>();
        for (int i = 0; i < SILENT_PEERS; i++) {
            sockets.add(new Socket(address.getAddress(), address.getPort()));
            connects.add(port.client(new Recorder()).connect(address));
        }
        for (Recorder each : List.of(byRdma, byTcp)) {
            Channel channel = each == byRdma ? rdma : tcp;
            channel.writeAndFlush(Unpooled.wrappedBuffer(OnePort.BYTES)).sync();
            Deadline.standard().until("the echo", () -> each.count() == 2 * OnePort.BYTES.length);
        }
        for (ChannelFuture connect : connects) {
            connect.sync().channel().close().sync();
        }
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void clientOfADeviceThatIsRemovedUsesTcp() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChildProcess child = ChildProcess.start(Removal.class)) {
            assertThat(child.readLine()).isEqualTo("TCP [NO_ROUTE]");
            assertThat(child.readLine()).isEqualTo("TCP");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /** The device goes when the address is resolved; the server's listener for TCP stays. */
    static final class Removal {

        private Removal() {
        }

        public static void main(String[] arguments) throws Exception {
            try (OnePort port = new OnePort()) {
                Channel server = port.listen();
                Recorder recorder = new Recorder();
                Channel client = port.client(recorder).register().sync().channel();
                ChannelFuture connect = client.eventLoop().submit(() -> {
                    ChannelFuture connecting = client.connect(server.localAddress());
                    SoftHca.control("remove-device");
                    return connecting;
                }).sync().getNow();
                OnePort.assertIsEchoed(connect, recorder);
                ChildProcess.reportToParent(RdmaOrTcp.transport(client) + " "
                        + Stream.of(FallbackReason.values()).filter(r -> RdmaOrTcp.connectionsByTcp(r) == 1).toList());
                Recorder next = new Recorder();
                Channel second = OnePort.assertIsEchoed(port.client(next).connect(server.localAddress()), next);
                ChildProcess.reportToParent(RdmaOrTcp.transport(second).toString());
            }
        }
    }
}
