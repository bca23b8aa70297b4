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
package io.nettyrdma.integrations;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionEvents;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import reactor.core.publisher.Mono;

import java.net.SocketAddress;

/** What a user of Lettuce writes, as in docs/integrations.md; here also for NIO. */
final class LettuceClient extends RedisClient {

    private final EventLoopGroup loops;
    private final Class<? extends Channel> type;

    LettuceClient(ClientResources resources, RedisURI server, EventLoopGroup loops, Class<? extends Channel> type) {
        super(resources, server);
        this.loops = loops;
        this.type = type;
    }

    @Override
    protected void connectionBuilder(Mono<SocketAddress> address, ConnectionBuilder builder, ConnectionEvents events,
                                     RedisURI server) {
        super.connectionBuilder(address, builder, events, server);
        builder.bootstrap(new Bootstrap().group(loops).channel(type)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) server.getTimeout().toMillis()));
    }
}
