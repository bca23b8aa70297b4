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
package io.nettyrdma.micronaut;

import io.micronaut.context.ApplicationContext;
import io.micronaut.http.netty.channel.DefaultEventLoopGroupConfiguration;
import io.micronaut.http.netty.channel.EventLoopGroupFactory;
import io.micronaut.http.netty.channel.NettyChannelType;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The factory that a program of Micronaut finds, and the channels that its loops accept. */
class RdmaEventLoopGroupFactoryTest {

    private static final int SECONDS = 30;

    private final ApplicationContext program = ApplicationContext.run();

    @AfterEach
    void close() {
        program.close();
    }

    @Test
    void factoryIsThatOfTheJar() {
        assertThat(program.getBean(EventLoopGroupFactory.class)).isInstanceOf(RdmaEventLoopGroupFactory.class);
    }

    @ParameterizedTest
    @EnumSource
    void channelsOfEachKindCanBeRegistered(NettyChannelType type) throws Exception {
        EventLoopGroupFactory factory = program.getBean(EventLoopGroupFactory.class);
        DefaultEventLoopGroupConfiguration configuration = new DefaultEventLoopGroupConfiguration();
        Channel channel = factory.channelInstance(type, configuration);
        assertThat(factory.channelClass(type, configuration)).isEqualTo(channel.getClass());
        assertThat(program.getBean(EventLoopGroup.class).register(channel).await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(channel.isRegistered()).isTrue();
        channel.close().sync();
    }
}
