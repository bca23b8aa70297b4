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
package io.nettyrdma.microbench.operations;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.channel.RdmaChannel;

import java.util.concurrent.CompletableFuture;

/** Notifies when a channel is active: memory can be exposed only then. */
final class ActiveNotice extends ChannelInboundHandlerAdapter {

    private final CompletableFuture<RdmaChannel> active;

    ActiveNotice(CompletableFuture<RdmaChannel> active) {
        this.active = active;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        active.complete((RdmaChannel) context.channel());
        context.fireChannelActive();
    }
}
