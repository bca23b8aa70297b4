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

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import reactor.netty.resources.LoopResources;

/** What a user of Reactor Netty writes, as in docs/integrations.md; here also for NIO. */
final class ReactorLoops implements LoopResources {

    private final EventLoopGroup loops;
    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    ReactorLoops(EventLoopGroup loops, Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.loops = loops;
        this.server = server;
        this.client = client;
    }

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return loops;
    }

    /** Called with {@code SocketChannel}, {@code ServerSocketChannel}, and types that no carrier has. */
    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        try {
            return type.cast(onChannelClass(type, group).getDeclaredConstructor().newInstance());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("no " + type, e);
        }
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        return (ServerChannel.class.isAssignableFrom(type) ? server : client).asSubclass(type);
    }
}
