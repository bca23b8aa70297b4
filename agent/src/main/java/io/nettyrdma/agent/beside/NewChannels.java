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
import io.netty.util.DefaultAttributeMap;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Whether a channel is as its constructor has left it: then another one can replace it. */
final class NewChannels {

    /** The options of a new channel, by its class. */
    private static final Map<Class<?>, Map<String, Object>> OPTIONS = new ConcurrentHashMap<>();

    private NewChannels() {
    }

    static boolean isUntouched(Channel channel) {
        return channel.isOpen() && !channel.isRegistered() && channel.pipeline().first() == null
                && !hasAddress(channel) && !hasAttributes(channel)
                && options(channel).equals(OPTIONS.computeIfAbsent(channel.getClass(), NewChannels::optionsOfNew));
    }

    private static boolean hasAddress(Channel channel) {
        return channel.remoteAddress() != null || channel.localAddress() != null;
    }

    private static boolean hasAttributes(Channel channel) {
        try {
            Field attributes = DefaultAttributeMap.class.getDeclaredField("attributes");
            attributes.setAccessible(true);
            return ((Object[]) attributes.get(channel)).length > 0;
        } catch (ReflectiveOperationException | RuntimeException e) {
            // Unknown: as if it had.
            return true;
        }
    }

    private static Map<String, Object> optionsOfNew(Class<?> type) {
        try {
            Channel fresh = (Channel) type.getConstructor().newInstance();
            try {
                return options(fresh);
            } finally {
                fresh.unsafe().closeForcibly();
            }
        } catch (ReflectiveOperationException e) {
            return Map.of();
        }
    }

    /** By name: NIO's are new objects each time. Of those that can be compared. */
    private static Map<String, Object> options(Channel channel) {
        Map<String, Object> options = new HashMap<>();
        channel.config().getOptions().forEach((option, value) -> {
            if (value instanceof Number || value instanceof Boolean) {
                options.put(option.name(), value);
            }
        });
        return options;
    }
}
