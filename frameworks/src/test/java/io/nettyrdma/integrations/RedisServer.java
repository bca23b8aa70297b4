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

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.netty.util.concurrent.GlobalEventExecutor;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The part of a Redis server that its clients need for strings, numbers and channels; based on Netty's codec. */
final class RedisServer {

    private static final int WORDS = 100;
    private static final int DEPTH = 1;
    private static final FullBulkStringRedisMessage NIL = FullBulkStringRedisMessage.NULL_INSTANCE;
    private static final SimpleStringRedisMessage OK = new SimpleStringRedisMessage("OK");

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final Map<String, ChannelGroup> subscribers = new ConcurrentHashMap<>();

    /** Sets up a connection's pipeline. */
    void accept(Channel channel) {
        channel.pipeline().addLast(new RedisDecoder(true), new RedisBulkStringAggregator(),
                new RedisArrayAggregator(WORDS, DEPTH), new RedisEncoder(), new Commands());
    }

    private final class Commands extends SimpleChannelInboundHandler<ArrayRedisMessage> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ArrayRedisMessage command) {
            List<byte[]> words = new ArrayList<>();
            for (RedisMessage word : command.children()) {
                FullBulkStringRedisMessage string = (FullBulkStringRedisMessage) word;
                byte[] bytes = new byte[string.content().readableBytes()];
                string.content().readBytes(bytes);
                words.add(bytes);
            }
            String name = text(words.get(0)).toUpperCase(Locale.ROOT);
            if (name.endsWith("SUBSCRIBE")) {
                words.subList(1, words.size()).forEach(
                        channel -> context.write(subscription(context.channel(), name, text(channel))));
            } else {
                context.write(answer(name, words));
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private RedisMessage answer(String name, List<byte[]> words) {
        switch (name) {
            case "PING":
                return new SimpleStringRedisMessage("PONG");
            case "ECHO":
                return bulk(words.get(1));
            case "CLIENT":
                return OK;
            case "SET":
                values.put(text(words.get(1)), words.get(2));
                return OK;
            case "GET":
                byte[] value = values.get(text(words.get(1)));
                return value == null ? NIL : bulk(value);
            case "DEL":
                return new IntegerRedisMessage(values.remove(text(words.get(1))) == null ? 0 : 1);
            case "INCR":
                return new IntegerRedisMessage(Long.parseLong(text(values.merge(text(words.get(1)), bytes("1"),
                        (old, one) -> bytes(Long.toString(Long.parseLong(text(old)) + 1))))));
            case "PUBLISH":
                ChannelGroup all = subscribers.getOrDefault(text(words.get(1)), noOne());
                all.forEach(subscriber -> subscriber.writeAndFlush(
                        array(bulk(bytes("message")), bulk(words.get(1)), bulk(words.get(2)))));
                return new IntegerRedisMessage(all.size());
            default:
                return new ErrorRedisMessage("ERR unknown command '" + name + '\'');
        }
    }

    private RedisMessage subscription(Channel client, String name, String channel) {
        ChannelGroup all = subscribers.computeIfAbsent(channel, none -> noOne());
        if (name.equals("SUBSCRIBE")) {
            all.add(client);
        } else {
            all.remove(client);
        }
        return array(bulk(bytes(name.toLowerCase(Locale.ROOT))), bulk(bytes(channel)),
                new IntegerRedisMessage(all.contains(client) ? 1 : 0));
    }

    private static ChannelGroup noOne() {
        return new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    }

    private static ArrayRedisMessage array(RedisMessage... messages) {
        return new ArrayRedisMessage(List.of(messages));
    }

    private static FullBulkStringRedisMessage bulk(byte[] value) {
        return new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(value));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
