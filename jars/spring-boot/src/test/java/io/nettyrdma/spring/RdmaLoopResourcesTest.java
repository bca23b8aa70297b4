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
package io.nettyrdma.spring;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.ServerDomainSocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.LoopResources;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The loops of a program of Spring Boot, and the channels that they accept. */
class RdmaLoopResourcesTest {

    private static final int SECONDS = 30;

    private final LoopResources resources = new RdmaLoopResources();

    @AfterEach
    void dispose() {
        resources.disposeLater(Duration.ZERO, Duration.ofSeconds(SECONDS)).block();
        assertThat(resources.isDisposed()).isTrue();
        assertThat(resources.onServer(true).isTerminated()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {SocketChannel.class, ServerSocketChannel.class, DatagramChannel.class,
            DomainSocketChannel.class, ServerDomainSocketChannel.class})
    void channelsOfEachKindCanBeRegistered(Class<? extends Channel> type) throws Exception {
        EventLoopGroup group = resources.onClient(true);
        Channel channel = resources.onChannel(type, group);
        assertThat(resources.onChannelClass(type, group)).isEqualTo(channel.getClass());
        assertThat(group.register(channel).await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(channel.isRegistered()).isTrue();
        channel.close().sync();
    }

    @Test
    void clientStaysOnItsLoop() throws Exception {
        EventLoopGroup group = resources.onClient(true);
        assertThat(resources.onServer(true).next().submit(() -> group.next().inEventLoop())
                .get(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void loopsMayNotBlock() throws Exception {
        assertThat(resources.onServer(true).next().submit(Schedulers::isInNonBlockingThread)
                .get(SECONDS, TimeUnit.SECONDS)).isTrue();
    }
}
