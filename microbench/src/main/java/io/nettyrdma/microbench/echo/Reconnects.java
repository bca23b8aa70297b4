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
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;

import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Connects and closes without a pause, some connections at a time. All of it happens on one loop. */
final class Reconnects {

    private static final int AT_ONCE = 8;

    private final CompletableFuture<Double> result = new CompletableFuture<>();
    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final SocketAddress to;
    private long start;
    private long closed;
    private int connecting;
    private boolean ended;

    /** @param bootstrap with a handler; its group is not used. */
    Reconnects(EventLoop loop, Bootstrap bootstrap, SocketAddress to) {
        this.loop = loop;
        this.bootstrap = bootstrap.clone(loop);
        this.to = to;
    }

    void start() {
        loop.execute(() -> {
            start = System.nanoTime();
            for (int i = 0; i < AT_ONCE; i++) {
                connect();
            }
        });
    }

    /** Completes with the connections per second. Fails if one connection has failed. */
    CompletableFuture<Double> end() {
        loop.execute(() -> ended = true);
        return result;
    }

    private void connect() {
        connecting++;
        bootstrap.connect(to).addListener((ChannelFuture connected) -> {
            if (connected.isSuccess()) {
                connected.channel().close().addListener(done -> next());
            } else {
                result.completeExceptionally(connected.cause());
            }
        });
    }

    private void next() {
        closed++;
        connecting--;
        if (!ended) {
            connect();
        } else if (connecting == 0) {
            double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
            result.complete(closed / seconds);
        }
    }
}
