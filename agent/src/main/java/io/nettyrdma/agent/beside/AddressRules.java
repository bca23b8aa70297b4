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
package io.nettyrdma.agent.beside;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ServerChannel;
import io.nettyrdma.fallback.RdmaOrTcpOption;
import io.nettyrdma.fallback.TransportPolicy;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/**
 * Which addresses RDMA is used for: those a program connects to, and those it listens on. A denied one goes by TCP
 * alone; if any are allowed, the others are denied.
 */
final class AddressRules {

    private final List<AddressRule> allowed;
    private final List<AddressRule> denied;

    /** @param rules each begins with {@code +} if it allows, with {@code -} if it denies. */
    AddressRules(List<String> rules) {
        allowed = parse(rules, '+');
        denied = parse(rules, '-');
    }

    private static List<AddressRule> parse(List<String> rules, char kind) {
        return rules.stream().filter(rule -> rule.charAt(0) == kind).map(rule -> AddressRule.parse(rule.substring(1)))
                .toList();
    }

    /** The address is known when the channel connects or binds. Without rules the pipeline stays empty. */
    void applyTo(Channel channel) {
        if (!allowed.isEmpty() || !denied.isEmpty()) {
            channel.pipeline().addFirst(new AtAddress());
        }
    }

    private boolean permit(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                && (allowed.isEmpty() || allowed.stream().anyMatch(rule -> rule.matches(inet)))
                && denied.stream().noneMatch(rule -> rule.matches(inet));
    }

    /** Sets the policy, and leaves the pipeline. */
    private final class AtAddress extends ChannelOutboundHandlerAdapter {

        @Override
        public void connect(ChannelHandlerContext context, SocketAddress remote, SocketAddress local,
                ChannelPromise promise) {
            choose(context, remote);
            context.connect(remote, local, promise);
        }

        /** Of a client too, whose remote address matters. */
        @Override
        public void bind(ChannelHandlerContext context, SocketAddress local, ChannelPromise promise) {
            if (context.channel() instanceof ServerChannel) {
                choose(context, local);
            }
            context.bind(local, promise);
        }

        private void choose(ChannelHandlerContext context, SocketAddress address) {
            if (!permit(address)) {
                context.channel().config().setOption(RdmaOrTcpOption.POLICY, TransportPolicy.TCP_ONLY);
            }
            context.pipeline().remove(this);
        }
    }
}
