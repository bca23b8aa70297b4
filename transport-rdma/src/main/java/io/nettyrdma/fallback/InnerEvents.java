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
package io.nettyrdma.fallback;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;

/**
 * The only handler of a channel that another one stands for: passes what it receives to the pipeline of the other. What
 * the other sends does not pass here, because that calls the inner channel's {@code Unsafe}.
 */
abstract class InnerEvents extends ChannelDuplexHandler {

    private final Channel outer;

    InnerEvents(Channel outer) {
        this.outer = outer;
    }

    /** The inner channel is active. The other one, not this handler, says when it is inactive. */
    @Override
    public abstract void channelActive(ChannelHandlerContext context);

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        // See channelActive.
    }

    @Override
    public void channelRegistered(ChannelHandlerContext context) {
        // The outer channel has a registration of its own.
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        // See channelRegistered.
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        outer.pipeline().fireChannelRead(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        outer.pipeline().fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        outer.pipeline().fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        outer.pipeline().fireChannelWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        outer.pipeline().fireExceptionCaught(cause);
    }

    /** Netty reads by itself after each batch. The handlers of the other pipeline decide that, and may hold it back. */
    @Override
    public void read(ChannelHandlerContext context) {
        // See the other channel's beginRead.
    }
}
