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
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.testsuite.channel.EitherPair.Carrier;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What an application asks for and gets with addresses, over RDMA and over TCP. */
@Tag("device")
class AddressesTest {

    private static final String NAME = "a-name-that-no-server-knows.invalid";

    @ParameterizedTest
    @EnumSource
    void serverAtTheWildcardServesBothFamilies(Carrier over) throws Exception {
        List<InetAddress> both = List.of(TestDevice.get().ipv4(), TestDevice.get().ipv6());
        for (InetSocketAddress any : List.of(new InetSocketAddress(0), new InetSocketAddress("::", 0))) {
            try (EitherPair pair = EitherPair.at(over, any)) {
                int port = ((InetSocketAddress) pair.listener().localAddress()).getPort();
                for (InetAddress address : both) {
                    Recorder client = new Recorder();
                    Channel channel = pair.bootstrap().handler(client)
                            .connect(new InetSocketAddress(address, port)).sync().channel();
                    channel.writeAndFlush(Unpooled.copyLong(1)).sync();
                    Deadline.standard().until("the echo", () -> client.count() == Long.BYTES);
                    channel.close().sync();
                }
            }
        }
    }

    /** 127.0.1.1 is what Debian's own host name means. */
    @ParameterizedTest
    @EnumSource
    void everyLoopbackAddressIsServed(Carrier over) throws Exception {
        assumeTrue(DeviceAddress.forLocalUse().address().isLoopbackAddress(), "no device has a loopback address");
        for (String address : List.of("127.0.0.2", "127.0.1.1", "127.255.255.254")) {
            try (EitherPair pair = EitherPair.at(over, new InetSocketAddress(address, 0))) {
                InetSocketAddress listener = (InetSocketAddress) pair.listener().localAddress();
                assertThat(listener.getHostString()).isEqualTo(address);
                Channel channel = pair.bootstrap().handler(new ChannelInboundHandlerAdapter())
                        .connect(listener, new InetSocketAddress("127.0.0.3", 0)).sync().channel();
                assertThat(channel.remoteAddress()).isEqualTo(listener);
                assertThat(pair.accepted().remoteAddress()).isEqualTo(channel.localAddress());
                channel.close().sync();
                assertThat(failure(pair, new InetSocketAddress("127.0.0.4", listener.getPort())))
                        .isInstanceOf(ConnectException.class);
            }
        }
    }

    /** So that a handler needs no name service. */
    @ParameterizedTest
    @EnumSource
    void remoteAddressKeepsTheRequestedHostName(Carrier over) throws Exception {
        try (EitherPair pair = EitherPair.at(over, new InetSocketAddress(TestDevice.get().ip(), 0))) {
            InetSocketAddress listener = (InetSocketAddress) pair.listener().localAddress();
            InetAddress named = InetAddress.getByAddress(NAME, listener.getAddress().getAddress());
            Channel channel = pair.bootstrap().handler(new ChannelInboundHandlerAdapter())
                    .connect(new InetSocketAddress(named, listener.getPort())).sync().channel();
            InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
            assertThat(remote).isEqualTo(listener);
            assertThat(remote.getHostString()).isEqualTo(NAME);
            channel.close().sync();
            assertThat(channel.remoteAddress()).isSameAs(remote);
        }
    }

    private enum Bound {
        BY_CONNECT {
            @Override
            ChannelFuture connect(Bootstrap bootstrap, SocketAddress to, SocketAddress local) {
                return bootstrap.connect(to, local);
            }
        },
        BEFORE {
            @Override
            ChannelFuture connect(Bootstrap bootstrap, SocketAddress to, SocketAddress local)
                    throws Exception {
                return bootstrap.bind(local).sync().channel().connect(to);
            }
        },
        NOT {
            @Override
            ChannelFuture connect(Bootstrap bootstrap, SocketAddress to, SocketAddress local) {
                return bootstrap.connect(to);
            }
        };

        abstract ChannelFuture connect(Bootstrap bootstrap, SocketAddress to, SocketAddress local)
                throws Exception;
    }

    /** All that have to do with the connection manager. */
    private static final Map<ChannelOption<?>, Object> OPTIONS = Map.of(ChannelOption.SO_REUSEADDR, true,
            ChannelOption.IP_TOS, 16, RdmaChannelOption.ACK_TIMEOUT_EXPONENT, 14);

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("unchecked")
    void connectionOptionsWorkWithALocalAddress(Bound bound) throws Exception {
        InetAddress ip = TestDevice.get().ip();
        try (EitherPair pair = EitherPair.at(Carrier.RDMA, new InetSocketAddress(ip, 0))) {
            for (Map.Entry<ChannelOption<?>, Object> each : OPTIONS.entrySet()) {
                Channel channel = bound.connect(pair.bootstrap().handler(new ChannelInboundHandlerAdapter())
                        .option((ChannelOption<Object>) each.getKey(), each.getValue()),
                        pair.listener().localAddress(), new InetSocketAddress(ip, 0)).sync().channel();
                assertThat(channel.config().getOption(each.getKey())).isEqualTo(each.getValue());
                channel.close().sync();
            }
        }
    }

    @Test
    void optionsCanBeSetBetweenBindAndConnect() throws Exception {
        InetAddress ip = TestDevice.get().ip();
        try (EitherPair pair = EitherPair.at(Carrier.RDMA, new InetSocketAddress(ip, 0))) {
            Channel channel = pair.bootstrap().handler(new ChannelInboundHandlerAdapter())
                    .bind(new InetSocketAddress(ip, 0)).sync().channel();
            channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
            channel.config().setOption(ChannelOption.IP_TOS, 16);
            channel.connect(pair.listener().localAddress()).sync();
            channel.close().sync();
        }
    }

    @ParameterizedTest
    @EnumSource
    void usedPortIsRefused(Carrier over) throws Exception {
        try (EitherPair pair = EitherPair.at(over, new InetSocketAddress(TestDevice.get().ip(), 0))) {
            ServerBootstrap second = pair.server();
            assertThat(second.bind(pair.listener().localAddress()).await().cause()).isInstanceOf(BindException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anAddressOfAnotherMachineCannotBeBound(Carrier over) throws Exception {
        InetSocketAddress elsewhere = new InetSocketAddress("203.0.113.77", 0);
        try (EitherPair pair = EitherPair.at(over, new InetSocketAddress(TestDevice.get().ip(), 0))) {
            assertThat(pair.server().bind(elsewhere).await().cause()).isInstanceOf(BindException.class);
            assertThat(pair.bootstrap().handler(new ChannelInboundHandlerAdapter())
                    .connect(pair.listener().localAddress(), elsewhere).await().cause())
                    .isInstanceOf(SocketException.class).hasCauseInstanceOf(BindException.class);
        }
    }

    @ParameterizedTest
    @EnumSource
    void connectToAnAddressWithoutListenersFails(Carrier over) throws Exception {
        InetAddress ip = TestDevice.get().ip();
        try (EitherPair pair = EitherPair.at(over, new InetSocketAddress(ip, 0))) {
            assertThat(failure(pair, new InetSocketAddress(ip, 0))).isInstanceOf(ConnectException.class);
            assertThat(failure(pair, new InetSocketAddress("255.255.255.255", 1)))
                    .isInstanceOf(SocketException.class);
            assertThat(failure(pair, new InetSocketAddress("224.0.0.1", 1))).isInstanceOf(SocketException.class);
            assertThat(pair.bootstrap().disableResolver().handler(new ChannelInboundHandlerAdapter())
                    .connect(InetSocketAddress.createUnresolved(NAME, 1)).await().cause())
                    .isInstanceOf(UnresolvedAddressException.class);
        }
    }

    private static Throwable failure(EitherPair pair, InetSocketAddress to) throws Exception {
        return pair.bootstrap().handler(new ChannelInboundHandlerAdapter()).connect(to).await().cause();
    }
}
