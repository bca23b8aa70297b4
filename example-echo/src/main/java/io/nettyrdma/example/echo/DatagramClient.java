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
package io.nettyrdma.example.echo;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.channel.DatagramExchange;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.datagram.DatagramAddress;
import io.nettyrdma.efa.EfaDatagramChannel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.NoRouteToHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Sends datagrams and expects the same back, in whatever order. Its connections are channels. */
final class DatagramClient implements Client {

    private static final int END_SECONDS = 10;

    private final EventLoopGroup group = Transport.EFA.newGroup(1);
    private final InetSocketAddress server;

    DatagramClient(InetSocketAddress server) {
        this.server = server;
    }

    @Override
    public EchoResult run(EchoOptions options, int window, String what) throws Exception {
        EchoResult result = new EchoResult(what, options);
        List<DatagramClientHandler> handlers = new ArrayList<>();
        List<EfaDatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < options.connections(); i++) {
            DatagramClientHandler handler = new DatagramClientHandler(options.size(), window, result);
            EfaDatagramChannel channel = bind(handler, options.size());
            handlers.add(handler);
            channels.add(channel);
            DatagramPeer peer = meet(channel);
            channel.connect(peer.address()).sync();
        }
        for (DatagramClientHandler handler : handlers) {
            handler.start();
        }
        result.await();
        long duplicates = handlers.stream().mapToLong(DatagramClientHandler::duplicates).sum();
        result.path("SRD datagrams of " + channels.get(0).maxDatagram() + " bytes at most; " + duplicates
                + " came twice");
        for (EfaDatagramChannel channel : channels) {
            channel.close().sync();
        }
        return result;
    }

    private EfaDatagramChannel bind(DatagramClientHandler handler, int size) throws Exception {
        ChannelFuture bound = new Bootstrap().group(group).channel(EfaDatagramChannel.class).handler(handler)
                .bind(DatagramAddress.any()).await();
        if (!bound.isSuccess()) {
            throw new IOException("no datagrams: " + bound.cause().getMessage(), bound.cause());
        }
        EfaDatagramChannel channel = (EfaDatagramChannel) bound.channel();
        if (size > channel.maxDatagram() || size < DatagramClientHandler.LEAST) {
            throw new IOException("--size is " + size + ", and a datagram here has " + DatagramClientHandler.LEAST
                    + " to " + channel.maxDatagram() + " bytes");
        }
        return channel;
    }

    private DatagramPeer meet(EfaDatagramChannel channel) throws Exception {
        // TCP would reach the server, and the datagrams would not.
        if (!channel.device().reachesOtherHosts() && NetworkInterface.getByInetAddress(server.getAddress()) == null) {
            throw new NoRouteToHostException(server + " is no address of this machine, which the device "
                    + channel.device() + " does not leave: use a device of the system on both machines");
        }
        Bootstrap tcp = new Bootstrap().group(group).channel(EpollSocketChannel.class);
        try {
            return DatagramExchange.connect(tcp, server, channel, List.of(), 0).get();
        } catch (ExecutionException e) {
            throw EchoClient.failure(e.getCause(), true);
        }
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
