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
package io.nettyrdma.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.remote.RemoteMemory;

import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Connects until the peer listens, and exchanges addresses once:
 *
 * <pre>
 *   connect --refused, and there is time--&gt; pause --&gt; connect
 *      |
 *      +--connected--&gt; exchange --&gt; done; if it has failed, the connection is closed
 * </pre>
 */
final class ExchangeAttempts {

    private static final int PAUSE_MILLIS = 250;

    private final Bootstrap bootstrap;
    private final SocketAddress address;
    private final RdmaDatagramChannel channel;
    private final List<RemoteMemory> memories;
    private final long patienceNanos;
    private final long start = System.nanoTime();
    private final Promise<DatagramPeer> result;

    ExchangeAttempts(Bootstrap bootstrap, SocketAddress address, RdmaDatagramChannel channel,
                     List<RemoteMemory> memories, int patienceMillis) {
        this.bootstrap = bootstrap;
        this.address = address;
        this.channel = channel;
        this.memories = memories;
        patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        result = channel.eventLoop().newPromise();
        result.setUncancellable();
    }

    Future<DatagramPeer> begin() {
        attempt();
        return result;
    }

    private void attempt() {
        try {
            DatagramExchange exchange = new DatagramExchange(channel, memories,
                    DatagramExchange.DEFAULT_TIMEOUT_MILLIS, true);
            ChannelHandler users = bootstrap.config().handler();
            bootstrap.clone().handler(new ChannelInitializer<Channel>() {
                @Override
                protected void initChannel(Channel connection) {
                    if (users != null) {
                        connection.pipeline().addLast(users);
                    }
                    connection.pipeline().addLast(exchange);
                }
            }).connect(address).addListener((ChannelFutureListener) connected -> connected(connected, exchange));
        } catch (RuntimeException e) {
            // The channel was closed in a pause.
            result.setFailure(e);
        }
    }

    private void connected(ChannelFuture connected, DatagramExchange exchange) {
        if (connected.isSuccess()) {
            exchange.peer().addListener(exchanged -> {
                if (exchanged.isSuccess()) {
                    result.setSuccess(exchange.peer().getNow());
                } else {
                    result.setFailure(exchanged.cause());
                }
            });
        } else if (System.nanoTime() - start >= patienceNanos) {
            result.setFailure(connected.cause());
        } else {
            pause();
        }
    }

    private void pause() {
        try {
            channel.eventLoop().schedule(this::attempt, PAUSE_MILLIS, TimeUnit.MILLISECONDS).addListener(paused -> {
                if (paused.isCancelled()) {
                    // The loop ends.
                    result.setFailure(paused.cause());
                }
            });
        } catch (RuntimeException e) {
            // It has ended.
            result.setFailure(e);
        }
    }
}
