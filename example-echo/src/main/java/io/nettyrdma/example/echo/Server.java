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

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * A server that runs, and sends back whatever it receives.
 *
 * @param group its event loops, which end with it.
 * @param listener where clients connect to.
 */
record Server(EventLoopGroup group, Channel listener) implements AutoCloseable {

    private static final int END_SECONDS = 10;

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    void awaitClose() throws InterruptedException {
        listener.closeFuture().sync();
    }

    @Override
    public void close() {
        listener.close().syncUninterruptibly();
        group.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
