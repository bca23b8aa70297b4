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
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.nettyrdma.fallback.RdmaOrTcpChannel;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.Http2SslContextSpec;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.tcp.SslProvider.GenericSslContextSpec;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Reactor Netty's HTTP, WebSocket and TCP, with loops and channels set through its interface for both. */
@Tag("device")
@Tested(HttpServer.class)
class ReactorNettyTest {

    private static final int REQUESTS = 20;
    private static final int AT_ONCE = 8;
    private static final int BODY = 30_000;
    private static final int LARGE = 1 << 20;
    private static final int PART = 10_000;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void http1(Carrier carrier) {
        echo(carrier, server -> server, client -> client, "HTTP/1.1");
    }

    @EachCarrier
    void http1OverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        GenericSslContextSpec<SslContextBuilder> serverTls = Http11SslContextSpec.forServer(identity.keys());
        TrustManagerFactory trust = identity.trust();
        GenericSslContextSpec<SslContextBuilder> clientTls = Http11SslContextSpec.forClient()
                .configure(tls -> tls.trustManager(trust));
        echoOverTls(carrier, HttpProtocol.HTTP11, serverTls, clientTls, "HTTP/1.1");
    }

    /** HTTP/2 with prior knowledge on both sides. */
    @EachCarrier
    void http2(Carrier carrier) {
        echo(carrier, server -> server.protocol(HttpProtocol.H2C), client -> client.protocol(HttpProtocol.H2C),
                "HTTP/2.0");
    }

    /** The first request of a connection upgrades it to HTTP/2. */
    @EachCarrier
    void http2ByUpgrade(Carrier carrier) {
        echo(carrier, server -> server.protocol(HttpProtocol.H2C, HttpProtocol.HTTP11)
                        .httpRequestDecoder(decoder -> decoder.h2cMaxContentLength(BODY)),
                client -> client.protocol(HttpProtocol.H2C, HttpProtocol.HTTP11), "HTTP/2.0");
    }

    @EachCarrier
    void http2OverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        GenericSslContextSpec<SslContextBuilder> serverTls = Http2SslContextSpec.forServer(identity.keys());
        TrustManagerFactory trust = identity.trust();
        GenericSslContextSpec<SslContextBuilder> clientTls = Http2SslContextSpec.forClient()
                .configure(tls -> tls.trustManager(trust));
        echoOverTls(carrier, HttpProtocol.H2, serverTls, clientTls, "HTTP/2.0");
    }

    @EachCarrier
    void file(Carrier carrier, @TempDir Path directory) throws Exception {
        byte[] content = random.next(LARGE);
        Path file = Files.write(directory.resolve("content"), content);
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(program.httpServer()
                    .handle((request, response) -> response.sendFile(file)).bindNow());
            assertThat(body(program.httpClient(server).get().uri("/").responseContent())).isEqualTo(content);
        }
    }

    /** A reader that requests one buffer at a time gets all of them. */
    @EachCarrier
    void slowReader(Carrier carrier) {
        byte[] content = random.next(LARGE);
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(program.httpServer()
                    .handle((request, response) -> response.send(parts(content))).bindNow());
            assertThat(body(ByteBufFlux.fromInbound(program.httpClient(server).get().uri("/").responseContent()
                    .limitRate(1)))).isEqualTo(content);
        }
    }

    @EachCarrier
    void webSocket(Carrier carrier) {
        List<byte[]> messages = IntStream.range(0, REQUESTS).mapToObj(i -> random.nextUpTo(BODY)).toList();
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(program.httpServer().route(routes -> routes.ws("/echo",
                    (in, out) -> out.send(in.aggregateFrames().receive().retain()))).bindNow());
            List<byte[]> answers = program.httpClient(server).websocket().uri("/echo")
                    .handle((in, out) -> out.send(Flux.fromIterable(messages).map(Unpooled::wrappedBuffer))
                            .then().thenMany(Flux.empty()).mergeWith(
                                    in.aggregateFrames().receive().asByteArray().take(REQUESTS)).cast(byte[].class))
                    .collectList().block(ReactorProgram.WAIT);
            assertThat(answers).usingElementComparator(Arrays::compare).containsExactlyElementsOf(messages);
        }
    }

    /** The server ends its output after the client. */
    @EachCarrier
    void tcp(Carrier carrier) {
        byte[] content = random.next(LARGE);
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(program.tcpServer()
                    .handle((in, out) -> out.send(in.receive().retain())).bindNow());
            Connection connection = program.tcpClient(server::address).connectNow(ReactorProgram.WAIT);
            assertThat(connection.channel()).isInstanceOf(
                    carrier == Carrier.AGENT ? RdmaOrTcpChannel.class : carrier.client());
            CompletableFuture<byte[]> received = taken(connection.inbound().receive(), LARGE).toFuture();
            connection.outbound().send(parts(content)).then().block(ReactorProgram.WAIT);
            assertThat(received).succeedsWithin(ReactorProgram.WAIT).isEqualTo(content);
            connection.disposeNow(ReactorProgram.WAIT);
        }
    }

    @EachCarrier
    void tcpOverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        SslContext serverTls = identity.server().build();
        SslContext clientTls = identity.client().build();
        byte[] content = random.next(LARGE);
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(program.tcpServer()
                    .secure(tls -> tls.sslContext(serverTls).handshakeTimeout(ReactorProgram.WAIT))
                    .handle((in, out) -> out.send(parts(content))).bindNow());
            Connection connection = program.tcpClient(server::address)
                    .secure(tls -> tls.sslContext(clientTls).handshakeTimeout(ReactorProgram.WAIT))
                    .connectNow(ReactorProgram.WAIT);
            assertThat(body(connection.inbound().receive())).isEqualTo(content);
            connection.disposeNow(ReactorProgram.WAIT);
        }
    }

    private void echoOverTls(Carrier carrier, HttpProtocol protocol, GenericSslContextSpec<?> serverTls,
                             GenericSslContextSpec<?> clientTls, String version) {
        echo(carrier, server -> server.protocol(protocol)
                        .secure(tls -> tls.sslContext(serverTls).handshakeTimeout(ReactorProgram.WAIT)),
                client -> client.protocol(protocol)
                        .secure(tls -> tls.sslContext(clientTls).handshakeTimeout(ReactorProgram.WAIT)), version);
    }

    private interface Way<T> {
        T set(T program);
    }

    /** Echoes bodies part by part as they arrive, several at once. */
    private void echo(Carrier carrier, Way<HttpServer> servers, Way<HttpClient> clients, String version) {
        List<byte[]> bodies = IntStream.range(0, REQUESTS).mapToObj(i -> random.nextUpTo(BODY)).toList();
        Queue<String> versions = new ConcurrentLinkedQueue<>();
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(servers.set(program.httpServer())
                    .handle((request, response) -> response.send(request.receive().retain())).bindNow());
            HttpClient client = clients.set(program.httpClient(server)).doOnResponse(
                    (response, connection) -> versions.add(response.version().text()));
            List<byte[]> answers = Flux.fromIterable(bodies).flatMapSequential(body -> client.post().uri("/echo")
                            .send(ByteBufFlux.fromInbound(parts(body))).responseContent().aggregate().asByteArray()
                            .defaultIfEmpty(new byte[0]), AT_ONCE)
                    .collectList().block(ReactorProgram.WAIT);
            assertThat(answers).usingElementComparator(Arrays::compare).containsExactlyElementsOf(bodies);
            assertThat(versions).hasSize(REQUESTS).containsOnly(version);
        }
    }

    /** This many bytes of a stream that continues. */
    private static Mono<byte[]> taken(ByteBufFlux stream, int length) {
        ByteArrayOutputStream taken = new ByteArrayOutputStream();
        return stream.asByteArray().doOnNext(taken::writeBytes).takeUntil(bytes -> taken.size() >= length)
                .then(Mono.fromSupplier(taken::toByteArray));
    }

    private static Flux<ByteBuf> parts(byte[] content) {
        return Flux.range(0, (content.length + PART - 1) / PART).map(i -> Unpooled.wrappedBuffer(
                Arrays.copyOfRange(content, i * PART, Math.min((i + 1) * PART, content.length))));
    }

    private static byte[] body(ByteBufFlux content) {
        return content.aggregate().asByteArray().block(ReactorProgram.WAIT);
    }
}
