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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Protocols that users layer on a byte stream work on this one. */
@Tag("device")
@Tag("native-speed")
class LayersTest {

    private static final int BODY = 50_000;
    private static final int PATIENCE_MILLIS = Deadline.scaledMillis(30_000);
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Random random = Seeds.newRandom();

    @Test
    void http() throws Exception {
        byte[] body = new byte[BODY];
        random.nextBytes(body);
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(2 * BODY), new Echo());
            }
        })) {
            Channel client = pair.connect(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(2 * BODY),
                            new Answer(answer));
                }
            });
            FullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/echo",
                    Unpooled.wrappedBuffer(body));
            request.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length).set(HttpHeaderNames.HOST, "here");
            client.writeAndFlush(request).sync();
            assertThat(answer.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(body);
        }
    }

    @Test
    void tls(@TempDir Path directory) throws Exception {
        KeyStore keys = keys(directory.resolve("keys.p12"));
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SslContext server = SslContextBuilder.forServer(own).sslProvider(SslProvider.JDK).build();
        SslContext client = SslContextBuilder.forClient().sslProvider(SslProvider.JDK).trustManager(trusted)
                .endpointIdentificationAlgorithm(null).build();
        byte[] sent = new byte[BODY];
        random.nextBytes(sent);
        SameBytes echoed = new SameBytes(sent);
        Recorder recorder = new Recorder();
        try (ChannelPair pair = new ChannelPair(() -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(server.newHandler(channel.alloc()), new EchoHandler());
            }
        })) {
            Channel channel = pair.connect(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel connecting) {
                    connecting.pipeline().addLast(client.newHandler(connecting.alloc()), echoed, recorder);
                }
            });
            channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
            SslHandler tls = channel.pipeline().get(SslHandler.class);
            assertThat(tls.handshakeFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(tls.handshakeFuture().cause()).isNull();
            Deadline.ofSeconds(30).until("the echo", () -> echoed.count() == sent.length);
            assertThat(echoed.firstDifference()).isEqualTo(-1);
            // The close itself writes close_notify, which arrives before the end.
            channel.close().sync();
            assertThat(tls.sslCloseFuture().await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        }
        assertThat(recorder.failures()).isEmpty();
    }

    /** The JDK's own tool creates the certificate, so that no file in the source tree expires. */
    private static KeyStore keys(Path file) throws Exception {
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "test", "-keyalg", "EC", "-dname", "CN=test", "-storetype", "PKCS12",
                "-keystore", file.toString(), "-storepass", new String(PASSWORD)).inheritIO().start();
        assertThat(keytool.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        KeyStore all = KeyStore.getInstance("PKCS12");
        all.load(null, null);
        all.setKeyEntry("test", keys.getKey("test", PASSWORD), PASSWORD, keys.getCertificateChain("test"));
        all.setCertificateEntry("trusted", keys.getCertificate("test"));
        return all;
    }

    private static final class Echo extends SimpleChannelInboundHandler<FullHttpRequest> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            ByteBuf body = request.content().retain();
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
            context.writeAndFlush(response);
        }
    }

    private static final class Answer extends SimpleChannelInboundHandler<FullHttpResponse> {

        private final CompletableFuture<byte[]> body;

        private Answer(CompletableFuture<byte[]> body) {
            this.body = body;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
            byte[] bytes = new byte[response.content().readableBytes()];
            response.content().readBytes(bytes);
            body.complete(bytes);
        }
    }
}
