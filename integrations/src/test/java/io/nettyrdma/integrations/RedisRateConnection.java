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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;

import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One command after another over Netty's codec of Redis: ECHO, which is answered with its argument. */
final class RedisRateConnection extends RateConnection {

    private static final byte[] COMMAND = "ECHO".getBytes(StandardCharsets.US_ASCII);
    /** Of a command, whose words are no arrays. */
    private static final int WORDS = 2;
    private static final int DEPTH = 1;

    private final byte[] message = new byte[SIZE];
    private final Channel connection;

    RedisRateConnection(Channel connection) {
        this.connection = connection;
        connection.pipeline().addLast(new RedisEncoder(), new RedisDecoder(), new RedisBulkStringAggregator(),
                new Answers());
    }

    static void initServer(Channel channel) {
        channel.pipeline().addLast(new RedisEncoder(), new RedisDecoder(), new RedisBulkStringAggregator(),
                new RedisArrayAggregator(WORDS, DEPTH), new Echo());
    }

    @Override
    void request() {
        connection.writeAndFlush(new ArrayRedisMessage(List.of(bulk(Unpooled.wrappedBuffer(COMMAND)),
                bulk(Unpooled.wrappedBuffer(message)))), connection.voidPromise());
    }

    private static FullBulkStringRedisMessage bulk(ByteBuf content) {
        return new FullBulkStringRedisMessage(content);
    }

    private final class Answers extends SimpleChannelInboundHandler<FullBulkStringRedisMessage> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullBulkStringRedisMessage answer) {
            answered(answer.content().readableBytes());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            failed(new ClosedChannelException());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failed(cause);
        }
    }

    private static final class Echo extends SimpleChannelInboundHandler<ArrayRedisMessage> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ArrayRedisMessage command) {
            FullBulkStringRedisMessage argument = (FullBulkStringRedisMessage) command.children().get(1);
            context.writeAndFlush(bulk(argument.content().retain()), context.voidPromise());
        }
    }
}
