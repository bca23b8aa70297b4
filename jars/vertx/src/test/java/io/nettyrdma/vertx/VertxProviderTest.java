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
package io.nettyrdma.vertx;

import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.datagram.DatagramSocket;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.impl.VertxImpl;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.TransportInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.transport.Transport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Vert.x with the jar: what uses RDMA, and what is left as it is. */
class VertxProviderTest {

    private static final String POLICY = "io.nettyrdma.policy";
    private static final int SECONDS = 30;

    private final long rdmaBefore = RdmaOrTcp.connectionsByRdma();
    private Vertx vertx;
    /** Vert.x closes a client that nothing refers to. */
    private HttpClientAgent client;

    @AfterEach
    void close() throws Exception {
        System.clearProperty(POLICY);
        if (vertx != null) {
            get(vertx.close());
        }
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
    }

    /** A server with all addresses. */
    private HttpServer serve() throws Exception {
        return get(vertx.createHttpServer().requestHandler(request -> request.response().end("hello")).listen(0));
    }

    private Buffer request(HttpServer server, HttpClientOptions options) throws Exception {
        client = vertx.createHttpClient(options);
        return get(client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
                .compose(HttpClientRequest::send).compose(HttpClientResponse::body));
    }

    private long connectionsByRdma() {
        return RdmaOrTcp.connectionsByRdma() - rdmaBefore;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void serversAndClientsUseRdma(boolean prefersNative) throws Exception {
        vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(prefersNative));
        assertThat(request(serve(), new HttpClientOptions())).hasToString("hello");
        assertThat(connectionsByRdma()).isOne();
    }

    @Test
    void http2UsesRdma() throws Exception {
        vertx = Vertx.vertx();
        assertThat(request(serve(), new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2)))
                .hasToString("hello");
        assertThat(connectionsByRdma()).isOne();
    }

    @Test
    void clientWithoutVertxIsServed() throws Exception {
        vertx = Vertx.vertx();
        URI server = URI.create("http://127.0.0.1:" + serve().actualPort());
        assertThat(HttpClient.newHttpClient().send(HttpRequest.newBuilder(server).build(), BodyHandlers.ofString())
                .body()).isEqualTo("hello");
        assertThat(connectionsByRdma()).isZero();
    }

    @Test
    void policyTcpUsesTcp() throws Exception {
        System.setProperty(POLICY, "tcp");
        long before = RdmaOrTcp.connectionsByTcp(FallbackReason.POLICY);
        vertx = Vertx.vertx();
        assertThat(request(serve(), new HttpClientOptions())).hasToString("hello");
        assertThat(RdmaOrTcp.connectionsByTcp(FallbackReason.POLICY) - before).isOne();
        assertThat(connectionsByRdma()).isZero();
    }

    @Test
    void policyRequiredNeverUsesTcp() throws Exception {
        System.setProperty(POLICY, "tcp");
        vertx = Vertx.vertx();
        HttpServer server = serve();
        System.setProperty(POLICY, "required");
        assertThatThrownBy(() -> request(server, new HttpClientOptions())).isNotNull();
    }

    @Test
    void optionsOfEpollAreTaken() throws Exception {
        vertx = Vertx.vertx();
        HttpServer server = get(vertx.createHttpServer(new HttpServerOptions().setReusePort(true)
                .setTcpQuickAck(true).setTcpUserTimeout(1_000)).requestHandler(request -> request.response().end("x"))
                .listen(0));
        assertThat(request(server, new HttpClientOptions().setTcpQuickAck(true).setTcpFastOpen(true)))
                .hasToString("x");
        assertThat(connectionsByRdma()).isOne();
    }

    @Test
    void domainSocketsWork(@TempDir Path directory) throws Exception {
        vertx = Vertx.vertx();
        SocketAddress address = SocketAddress.domainSocketAddress(directory.resolve("socket").toString());
        CompletableFuture<String> received = new CompletableFuture<>();
        NetServer server = get(vertx.createNetServer().connectHandler(
                socket -> socket.handler(buffer -> received.complete(buffer.toString()))).listen(address));
        NetClient sender = vertx.createNetClient();
        get(sender.connect(address).compose(socket -> socket.write("hello")));
        assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("hello");
        get(sender.close());
        get(server.close());
    }

    @Test
    void datagramsWork() throws Exception {
        vertx = Vertx.vertx();
        CompletableFuture<String> received = new CompletableFuture<>();
        DatagramSocket receiver = get(vertx.createDatagramSocket().handler(
                packet -> received.complete(packet.data().toString())).listen(0, "127.0.0.1"));
        get(vertx.createDatagramSocket().send("hello", receiver.localAddress().port(), "127.0.0.1"));
        assertThat(received.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("hello");
    }

    /** Such as one of the program's own. */
    @Test
    void otherTransportIsKept() {
        io.vertx.core.spi.transport.Transport own = new EpollTransport();
        vertx = Vertx.builder().withTransport(new TransportInternal("own", true, null, own)).build();
        assertThat(((VertxImpl) vertx).transport()).isSameAs(own);
    }

    @ParameterizedTest
    @EnumSource
    void transportOfVertxIsReplaced(Stock stock) {
        vertx = Vertx.builder().withTransport(stock.transport).build();
        assertThat(((VertxImpl) vertx).transport()).isInstanceOf(RdmaOrTcpTransport.class);
    }

    /** Those that the jar replaces. */
    enum Stock {
        NIO(Transport.NIO),
        EPOLL(Transport.EPOLL);

        private final Transport transport;

        Stock(Transport transport) {
            this.transport = transport;
        }
    }
}
