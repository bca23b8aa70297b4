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
package io.nettyrdma.testsuite.channel;

import io.netty.channel.Channel;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.verbs.QueuePair;

import java.lang.reflect.Field;
import java.util.stream.Stream;

/** Gives access to a channel's private queue pair, which alone shows what the device knows of the connection. */
final class QueuePairOf {

    private QueuePairOf() {
    }

    /** An option that can be set only without a queue pair shows that there is none. */
    static boolean isGone(Channel channel) {
        try {
            return channel.config().setOption(RdmaChannelOption.MAX_WINDOW, 100);
        } catch (IllegalStateException e) {
            return false;
        }
    }

    static QueuePair channel(RdmaChannel channel) throws ReflectiveOperationException {
        return (QueuePair) get(connection(channel), "queuePair");
    }

    /** Whether the channel knows that its peer has left. */
    static boolean peerHasLeft(RdmaChannel channel) throws ReflectiveOperationException {
        String presence = get(get(connection(channel), "peer"), "presence").toString();
        return presence.equals("LEFT") || presence.equals("GONE");
    }

    private static Object connection(RdmaChannel channel) throws ReflectiveOperationException {
        return get(get(channel, "link"), "connection");
    }

    private static Object get(Object owner, String name) throws ReflectiveOperationException {
        Class<?> declaring = owner.getClass();
        while (Stream.of(declaring.getDeclaredFields()).noneMatch(field -> field.getName().equals(name))) {
            declaring = declaring.getSuperclass();
        }
        Field field = declaring.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
