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

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** Loops of each poll mode behave the same, for TCP too. */
@Tag("device")
class ModesTest {

    private static final int ROUNDS = Rounds.scaled(5_000);
    private static final double SECONDS = 60;

    private final Random random = Seeds.newRandom();

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void everyMessageIsAnswered(PollMode mode) throws Exception {
        try (ChannelPair pair = new ChannelPair(RdmaIoHandlerConfig.DEFAULT.withMode(mode), EchoHandler::new,
                bootstrap -> { })) {
            AtomicInteger answered = new AtomicInteger();
            pair.connect(new PingPong(answered));
            Deadline.ofSeconds(SECONDS).until(ROUNDS + " answers", () -> answered.get() == ROUNDS);
            byte[] sent = new byte[1 << 20];
            random.nextBytes(sent);
            SameBytes echoed = new SameBytes(sent);
            pair.connect(echoed).writeAndFlush(Unpooled.wrappedBuffer(sent));
            Deadline.ofSeconds(SECONDS).until("a large echo", () -> echoed.count() == sent.length);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
        }
    }

    @Test
    void tcpAndRdmaShareALoop() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            Channel server = new ServerBootstrap().group(pair.group()).channel(EpollServerSocketChannel.class)
                    .childHandler(new EchoServerInitializer())
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).sync().channel();
            AtomicInteger overTcp = new AtomicInteger();
            AtomicInteger overRdma = new AtomicInteger();
            Bootstrap tcp = new Bootstrap().group(pair.group()).channel(EpollSocketChannel.class);
            for (int i = 0; i < 4; i++) {
                pair.connect(new PingPong(overRdma));
                tcp.clone().handler(new PingPong(overTcp)).connect(server.localAddress()).sync();
            }
            Deadline.ofSeconds(SECONDS).until("all answers", () -> overTcp.get() == 4 * ROUNDS
                    && overRdma.get() == 4 * ROUNDS);
        }
    }

    private static final class EchoServerInitializer extends ChannelInitializer<Channel> {

        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline().addLast(new EchoHandler());
        }
    }

    /** Sends the next message when the last has been echoed. */
    private static final class PingPong extends ChannelInboundHandlerAdapter {

        private final AtomicInteger answered;
        private int left = ROUNDS;

        private PingPong(AtomicInteger answered) {
            this.answered = answered;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf answer = (ByteBuf) message;
            int number = answer.readInt();
            answer.release();
            if (number != left) {
                context.close();
                return;
            }
            left--;
            answered.incrementAndGet();
            if (left > 0) {
                send(context);
            }
        }

        private void send(ChannelHandlerContext context) {
            context.writeAndFlush(context.alloc().buffer(Integer.BYTES).writeInt(left));
        }
    }
}
