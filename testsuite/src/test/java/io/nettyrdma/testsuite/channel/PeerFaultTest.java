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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** The other process dies or no longer answers. */
@Tag("device")
@Tag("native-speed")
class PeerFaultTest {

    private static final double SECONDS = 60;
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis((int) SECONDS * 1000);
    /** 4.096 us times 2^14 is 67 ms, instead of the seconds that the connection manager chooses. */
    private static final int ACK_TIMEOUT = 14;
    private static final int PARTS = 200;
    private static final int PART = 50_000;

    /** Of three connections one is in the middle of many writes, one is idle, and one has another peer. */
    @Test
    void killedProcessFailsTheConnection() throws Exception {
        BlockingQueue<Recorder> recorders = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(() -> recorder(recorders)); ChildProcess child = start(pair, false)) {
            RdmaChannel writing = pair.accepted();
            RdmaChannel silent = pair.accepted();
            SameBytes bystander = new SameBytes(new byte[] { 1, 2 });
            RdmaChannel own = pair.connect(bystander);
            RdmaChannel other = pair.accepted();
            assertThat(child.readLine()).isEqualTo("connected");
            AtomicInteger ended = new AtomicInteger();
            List<Throwable> causes = new CopyOnWriteArrayList<>();
            for (int i = 0; i < PARTS; i++) {
                writing.writeAndFlush(Unpooled.wrappedBuffer(new byte[PART])).addListener(future -> {
                    ended.incrementAndGet();
                    if (future.cause() != null) {
                        causes.add(future.cause());
                    }
                });
            }
            // Writes after the end fail with another exception.
            writing.eventLoop().submit(() -> { }).sync();
            child.kill();
            assertEnds(writing);
            assertEnds(silent);
            Deadline.ofSeconds(SECONDS).until("every promise", () -> ended.get() == PARTS);
            // The kernel may take the memory of a process before its queue pairs: a message finds a receive without it.
            assertThat(causes).isNotEmpty().allSatisfy(cause -> assertThat(rootCause(cause)).hasMessageMatching(
                    "(?s).*(Connection reset|RETRY_EXCEEDED|disconnected|FLUSHED|retry|REMOTE_OPERATION_ERROR).*"));
            assertThat(recorders.poll().failures()).hasSize(1).allMatch(IOException.class::isInstance);
            assertThat(recorders.poll().failures()).hasSize(1).allMatch(IOException.class::isInstance);
            other.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1, 2 })).sync();
            Deadline.ofSeconds(SECONDS).until("the bystander", () -> bystander.count() == 2);
            assertThat(own.isActive()).isTrue();
        }
    }

    /** The process is stopped. Where the device still answers for it, as adapters do, only a PING reveals it. */
    @Test
    void silentProcessFailsTheConnection() throws Exception {
        BlockingQueue<Recorder> recorders = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(() -> recorder(recorders), bootstrap -> bootstrap
                .childOption(RdmaChannelOption.KEEPALIVE_MILLIS, Deadline.scaledMillis(200)));
             ChildProcess child = start(pair, true)) {
            RdmaChannel first = pair.accepted();
            RdmaChannel second = pair.accepted();
            assertThat(child.readLine()).isEqualTo("connected");
            // They live as long as they answer PINGs, here several.
            Deadline alive = Deadline.ofSeconds(2);
            while (alive.remainingNanos() > 0) {
                assertThat(first.isActive()).isTrue();
                TimeUnit.MILLISECONDS.sleep(10);
            }
            child.stop();
            assertEnds(first);
            assertEnds(second);
            assertThat(recorders.poll().failures()).singleElement().isInstanceOf(IOException.class)
                    .extracting(Throwable::getMessage).asString()
                    .containsAnyOf("did not answer a PING", "RETRY_EXCEEDED");
            // A stopped process can be killed.
            child.kill();
        }
    }

    /** The end is reported after the unread bytes, but a write fails at once. */
    @Test
    void killedProcessFailsTheConnectionWithoutReads() throws Exception {
        BlockingQueue<Recorder> recorders = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(() -> recorder(recorders), bootstrap -> bootstrap
                .childOption(ChannelOption.AUTO_READ, false)); ChildProcess child = start(pair, false, "hello")) {
            RdmaChannel first = pair.accepted();
            assertThat(child.readLine()).isEqualTo("connected");
            child.kill();
            Deadline.ofSeconds(SECONDS).until("a write that fails", () ->
                    first.writeAndFlush(Unpooled.wrappedBuffer(new byte[] { 1 })).await().cause() != null);
            assertEnds(first);
            assertThat(recorders.poll().inactive().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    private static Recorder recorder(BlockingQueue<Recorder> recorders) {
        Recorder recorder = new Recorder();
        recorders.add(recorder);
        return recorder;
    }

    private static void assertEnds(Channel channel) throws InterruptedException {
        assertThat(channel.closeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).as("%s ends", channel).isTrue();
    }

    private static Throwable rootCause(Throwable cause) {
        return cause.getCause() == null ? cause : rootCause(cause.getCause());
    }

    private static ChildProcess start(ChannelPair pair, boolean reads, String... words) throws Exception {
        return ChildProcess.start(Client.class, pair.address().getAddress().getHostAddress(),
                Integer.toString(pair.address().getPort()), Boolean.toString(reads), String.join("", words));
    }

    /** Two idle connections. */
    static final class Client {

        private Client() {
        }

        public static void main(String[] arguments) throws Exception {
            InetSocketAddress server = new InetSocketAddress(InetAddress.getByName(arguments[0]),
                    Integer.parseInt(arguments[1]));
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            Bootstrap bootstrap = new Bootstrap().group(group).channel(RdmaChannel.class)
                    .option(ChannelOption.AUTO_READ, Boolean.parseBoolean(arguments[2]))
                    .option(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT);
            ByteBuf word = Unpooled.wrappedBuffer(arguments[3].getBytes());
            for (int i = 0; i < 2; i++) {
                ChannelFuture connected = bootstrap.clone().handler(new ChannelInboundHandlerAdapter())
                        .connect(server).sync();
                connected.channel().writeAndFlush(word.retainedDuplicate()).sync();
            }
            ChildProcess.reportToParent("connected");
            ChildProcess.parentLines().readLine();
        }
    }
}
