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
package io.nettyrdma.microbench.echo;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.nettyrdma.channel.RdmaChannelOption;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures one figure after another, each with loops and connections of its own. */
final class Client {

    /** The time to wait in addition to the measurement's own. */
    private static final int PATIENCE_MILLIS = 20_000;

    private final ServerProcess server;
    private final long nanos;
    private final int connections;
    private final WriteBufferWaterMark mark;

    Client(ServerProcess server, Options options) {
        this.server = server;
        nanos = TimeUnit.MILLISECONDS.toNanos(options.millis());
        connections = options.connections();
        Integer high = options.highWater();
        mark = high == null ? null : new WriteBufferWaterMark(high / 2, high);
    }

    /** @param loops of each process; each has a connection if the kind sends messages. */
    Figure measure(Transport transport, Kind kind, int size, int loops) throws Exception {
        int port = transport.hasServer() ? server.listen(transport, kind, loops) : 0;
        SocketAddress to = new InetSocketAddress(transport.localAddress(), port);
        EventLoopGroup group = transport.newGroup(loops);
        try {
            Bootstrap bootstrap = new Bootstrap()
                    .group(group)
                    .channel(transport.channel())
                    .option(ChannelOption.ALLOW_HALF_CLOSURE, transport.hasServer() ? true : null)
                    .option(ChannelOption.WRITE_BUFFER_WATER_MARK, mark)
                    .option(RdmaChannelOption.ZERO_COPY_THRESHOLD, transport.zeroCopyThreshold());
            return switch (kind) {
            case CONNECT -> Connects.inTurn(bootstrap.handler(new Nothing()), to, nanos);
            case CONNECT_MANY -> Connects.atOnce(bootstrap.handler(new Nothing()), to, size);
            case POOL -> Connects.fromPool(bootstrap, to, size, nanos);
            case WHILE_ACCEPTING -> whileAccepting(bootstrap, transport, size, loops, to);
            case BESIDE_IDLE, ONE_WAY_BESIDE_IDLE -> besideIdle(bootstrap, kind, size, loops, to);
            default -> messages(bootstrap, kind, size, loops, to);
            };
        } catch (Exception e) {
            throw new IllegalStateException(transport + ", " + kind + " of " + size + ' ' + kind.unit() + " failed", e);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            if (transport.hasServer()) {
                server.stopListening();
            }
        }
    }

    /** Uses a connection for each loop, all at the same time, and closes them. */
    private Figure messages(Bootstrap bootstrap, Kind kind, int size, int loops, SocketAddress to) throws Exception {
        List<MeasuringHandler> handlers = new ArrayList<>();
        List<ChannelFuture> connecting = new ArrayList<>();
        for (int i = 0; i < loops; i++) {
            MeasuringHandler handler = kind.clientHandler(size, nanos);
            handlers.add(handler);
            connecting.add(bootstrap.clone().handler(handler).connect(to));
        }
        for (ChannelFuture each : connecting) {
            each.sync();
        }
        Figure figure = results(handlers);
        for (ChannelFuture each : connecting) {
            each.channel().close().sync();
        }
        return figure;
    }

    /** The same before and after the idle connections are opened, so only they make the difference. */
    private Figure besideIdle(Bootstrap bootstrap, Kind kind, int size, int loops, SocketAddress to) throws Exception {
        double alone = messages(bootstrap, kind, size, loops, to).total();
        IdleConnections idle = new IdleConnections(bootstrap.clone().handler(new Nothing()), to, connections);
        double beside = messages(bootstrap, kind, size, loops, to).total();
        idle.close();
        return new Figure(beside, beside / loops, alone / loops, beside / alone);
    }

    /** The same connections before and while others connect. The loop of these runs both times, also if it is busy. */
    private Figure whileAccepting(Bootstrap bootstrap, Transport transport, int size, int loops, SocketAddress to)
            throws Exception {
        EventLoopGroup others = transport.newGroup(1);
        try {
            others.submit(() -> { }).sync();
            List<Channel> channels = new ArrayList<>();
            Bootstrap idle = bootstrap.clone().handler(new Nothing());
            for (int i = 0; i < loops; i++) {
                channels.add(idle.connect(to).sync().channel());
            }
            Figure alone = roundTrips(channels, size);
            Reconnects reconnects = new Reconnects(others.next(), idle, to);
            reconnects.start();
            Figure beside = roundTrips(channels, size);
            double connects = reconnects.end().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            return new Figure(beside.total(), beside.columns()[0], beside.columns()[1], alone.columns()[0],
                    alone.columns()[1], connects);
        } finally {
            others.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** On connections that are open already, each with a handler that is there for this time only. */
    private Figure roundTrips(List<Channel> channels, int size) throws Exception {
        List<MeasuringHandler> handlers = new ArrayList<>();
        for (Channel each : channels) {
            MeasuringHandler handler = Kind.WHILE_ACCEPTING.clientHandler(size, nanos);
            handlers.add(handler);
            each.eventLoop().execute(() -> each.pipeline().addLast(handler).fireChannelActive());
        }
        Figure figure = results(handlers);
        for (int i = 0; i < handlers.size(); i++) {
            channels.get(i).pipeline().remove(handlers.get(i));
        }
        return figure;
    }

    private Figure results(List<MeasuringHandler> handlers) throws Exception {
        List<Figure> figures = new ArrayList<>();
        for (MeasuringHandler each : handlers) {
            figures.add(each.result().get(TimeUnit.NANOSECONDS.toMillis(nanos) + PATIENCE_MILLIS,
                    TimeUnit.MILLISECONDS));
        }
        return Figure.of(figures);
    }

    /** A handler without function, shared by many channels. */
    @ChannelHandler.Sharable
    private static final class Nothing extends ChannelInboundHandlerAdapter {
    }
}
