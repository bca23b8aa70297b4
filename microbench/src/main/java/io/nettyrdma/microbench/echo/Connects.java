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
import io.netty.channel.pool.AbstractChannelPoolHandler;
import io.netty.channel.pool.ChannelPool;
import io.netty.channel.pool.FixedChannelPool;

import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures connections instead of messages: one after another, many at once, or those of a pool. */
final class Connects {

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final double MICRO = TimeUnit.MICROSECONDS.toNanos(1);

    private Connects() {
    }

    /** Connects and closes repeatedly. Returns connections per second, and microseconds of each. */
    static Figure inTurn(Bootstrap bootstrap, SocketAddress to, long nanos) throws InterruptedException {
        long begin = System.nanoTime();
        long now = begin;
        int count = 0;
        while (now - begin < nanos) {
            bootstrap.connect(to).sync().channel().close().sync();
            count++;
            now = System.nanoTime();
        }
        return new Figure(0, count * SECOND / (now - begin), (now - begin) / MICRO / count);
    }

    /** Opens all at once, until the last one is active. Returns connections per second, and microseconds of all. */
    static Figure atOnce(Bootstrap bootstrap, SocketAddress to, int count) throws InterruptedException {
        List<ChannelFuture> connecting = new ArrayList<>(count);
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            connecting.add(bootstrap.connect(to));
        }
        List<Channel> connected = new ArrayList<>(count);
        for (ChannelFuture each : connecting) {
            connected.add(each.sync().channel());
        }
        long nanos = System.nanoTime() - begin;
        List<ChannelFuture> closing = new ArrayList<>(count);
        connected.forEach(each -> closing.add(each.close()));
        for (ChannelFuture each : closing) {
            each.sync();
        }
        return new Figure(0, count * SECOND / nanos, nanos / MICRO);
    }

    /**
     * Acquires a channel of Netty's pool and releases it, repeatedly, from a thread that is not a loop. Returns
     * acquisitions per second, and microseconds of each.
     */
    static Figure fromPool(Bootstrap bootstrap, SocketAddress to, int size, long nanos) throws InterruptedException {
        ChannelPool pool = new FixedChannelPool(bootstrap.remoteAddress(to), new Pooled(), size);
        try {
            long begin = System.nanoTime();
            long now = begin;
            int count = 0;
            while (now - begin < nanos) {
                pool.release(pool.acquire().sync().getNow()).sync();
                count++;
                now = System.nanoTime();
            }
            return new Figure(0, count * SECOND / (now - begin), (now - begin) / MICRO / count);
        } finally {
            pool.close();
        }
    }

    /** The channels of a pool need no handler here. */
    private static final class Pooled extends AbstractChannelPoolHandler {
        @Override
        public void channelCreated(Channel channel) {
        }
    }
}
