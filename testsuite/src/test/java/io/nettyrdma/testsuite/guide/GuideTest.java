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
package io.nettyrdma.testsuite.guide;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.testsuite.channel.LeakWatch;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.MemoryAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The snippets of docs/guide.md for connections do what the page says. */
@Tag("device")
class GuideTest {

    private static final String POLICY = "io.nettyrdma.policy";
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);

    private final LeakWatch leaks = new LeakWatch();
    private final BlockingQueue<ByteBuf> answers = new LinkedBlockingQueue<>();
    private final InetSocketAddress any = new InetSocketAddress(TestDevice.get().ip(), 0);
    private EventLoopGroup group;

    @BeforeEach
    void start() throws Exception {
        group = Connections.loops();
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, PATIENCE_MILLIS, TimeUnit.MILLISECONDS).sync();
        answers.forEach(ByteBuf::release);
        leaks.close();
    }

    /** RDMA or no connection, so that a slow machine does not make the answer come by TCP. */
    @Test
    void programOfTheFirstMinutesPrintsItsAnswer() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        System.setProperty(POLICY, "required");
        try {
            Hello.main(new String[] { TestDevice.get().ip().getHostAddress() });
        } finally {
            System.clearProperty(POLICY);
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("hello, by RDMA");
    }

    @Test
    void serverAnswersItsClient() throws Exception {
        Channel server = Connections.listen(group, any);
        RdmaChannel client = Connections.connect(group, (InetSocketAddress) server.localAddress(), new Collector());
        client.writeAndFlush(ByteBufUtil.writeUtf8(client.alloc(), "hello"));
        assertThat(answer().toString(StandardCharsets.UTF_8)).isEqualTo("hello");
        client.close().sync();
    }

    @Test
    void tlsWorksAsOverTcp() throws Exception {
        X509Bundle certificate = new CertificateBuilder().subject("CN=server").setIsCertificateAuthority(true)
                .buildSelfSigned();
        SslContext server = SslContextBuilder.forServer(certificate.getKeyPair().getPrivate(),
                certificate.getCertificate()).build();
        SslContext client = SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE)
                .endpointIdentificationAlgorithm(null).build();
        Channel listener = listen(Connections.secured(server, new Hello.Echo()));
        RdmaChannel channel = Connections.connect(group, (InetSocketAddress) listener.localAddress(),
                Connections.secured(client, new Collector()));
        channel.writeAndFlush(ByteBufUtil.writeUtf8(channel.alloc(), "secret"));
        assertThat(answer().toString(StandardCharsets.UTF_8)).isEqualTo("secret");
        channel.close().sync();
    }

    @Test
    void requestThatEndsWithTheOutputIsAnswered() throws Exception {
        Channel listener = listen(new HalfClose.ByteCounter());
        RdmaChannel client = Connections.connect(group, (InetSocketAddress) listener.localAddress(), new Collector());
        HalfClose.sendAll(client, client.alloc().buffer().writeZero(100_000)).sync();
        assertThat(answer().readLong()).isEqualTo(100_000);
        client.closeFuture().sync();
    }

    @Test
    void remoteMemoryIsWritten() throws Exception {
        assumeTrue(TestDevice.get().capabilities().immediate(), "no immediates");
        Channel listener = listen(new RemoteAccess.MemoryOwner(MemoryAccess.REMOTE_WRITE));
        RdmaChannel client = Connections.connect(group, (InetSocketAddress) listener.localAddress(), new Collector());
        RemoteMemory memory = RemoteMemory.decode(answer());
        RemoteAccess.write(client, memory, ByteBufUtil.writeUtf8(client.alloc(), "bytes")).sync();
        assertThat(answer().readInt()).as("the immediate").isEqualTo(7);
        client.close().sync();
    }

    @Test
    void remoteMemoryIsReadAndChanged() throws Exception {
        assumeTrue(TestDevice.get().capabilities().localReads() && TestDevice.get().capabilities().atomics(),
                "no reads, or no atomics");
        Channel listener = listen(new RemoteAccess.MemoryOwner(MemoryAccess.REMOTE_WRITE, MemoryAccess.REMOTE_READ,
                MemoryAccess.REMOTE_ATOMIC));
        RdmaChannel client = Connections.connect(group, (InetSocketAddress) listener.localAddress(), new Collector());
        RemoteMemory memory = RemoteMemory.decode(answer());
        RemoteAccess.write(client, memory, ByteBufUtil.writeUtf8(client.alloc(), "bytes")).sync();
        ByteBuf read = RemoteAccess.read(client, memory, 5);
        assertThat(read.toString(StandardCharsets.UTF_8)).isEqualTo("bytes");
        read.release();
        assertThat(RemoteAccess.increment(client, memory)).isZero();
        assertThat(RemoteAccess.increment(client, memory)).isEqualTo(1);
        client.close().sync();
    }

    private Channel listen(ChannelHandler handler) throws InterruptedException {
        return new ServerBootstrap().group(group).channel(RdmaServerChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(RdmaChannelOption.REMOTE_ACCESS, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(handler);
                    }
                }).bind(any).sync().channel();
    }

    /** The next bytes; all answers here are short, and arrive whole. */
    private ByteBuf answer() throws InterruptedException {
        ByteBuf next = answers.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        assertThat(next).as("an answer").isNotNull();
        return next;
    }

    private final class Collector extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
            answers.add(Unpooled.copiedBuffer(message));
        }
    }
}
