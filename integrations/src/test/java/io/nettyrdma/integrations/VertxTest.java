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

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import io.vertx.core.transport.Transport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Vert.x with our transport, set through its interface: its HTTP servers and clients, WebSockets and sockets. Vert.x
 * closes a client that the collector finds unreachable, requests in flight or not; so each test closes its client
 * after the last answer.
 */
@Tag("device")
@Tested(Vertx.class)
class VertxTest {

    private static final int REQUESTS = 50;
    private static final int BODY = 50_000;
    private static final int LARGE = 2 << 20;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void http1(Carrier carrier) throws Exception {
        echo(carrier, HttpVersion.HTTP_1_1, new HttpServerOptions(), new HttpClientOptions());
    }

    @EachCarrier
    void http2(Carrier carrier) throws Exception {
        echo(carrier, HttpVersion.HTTP_2, new HttpServerOptions(),
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2));
    }

    @EachCarrier
    void http2OverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        PfxOptions keys = new PfxOptions().setPath(new Identity(directory).file().toString())
                .setPassword(Identity.PASSWORD);
        echo(carrier, HttpVersion.HTTP_2, new HttpServerOptions().setSsl(true).setUseAlpn(true).setKeyCertOptions(keys),
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setSsl(true).setUseAlpn(true)
                        .setTrustOptions(keys));
    }

    @EachCarrier
    void file(Carrier carrier, @TempDir Path directory) throws Exception {
        byte[] content = random.next(LARGE);
        Path file = Files.write(directory.resolve("content"), content);
        try (Program program = new Program(carrier)) {
            HttpServer server = Program.get(program.vertx.createHttpServer()
                    .requestHandler(request -> request.response().sendFile(file.toString())).listen(0, Host.NAME));
            HttpClient client = program.vertx.createHttpClient();
            Buffer body = Program.get(client.request(HttpMethod.GET, server.actualPort(), Host.NAME, "/")
                    .compose(request -> request.send()).compose(HttpClientResponse::body));
            assertThat(body.getBytes()).isEqualTo(content);
            Program.get(client.close());
        }
    }

    @EachCarrier
    void webSocket(Carrier carrier) throws Exception {
        byte[] message = random.next(BODY);
        try (Program program = new Program(carrier)) {
            HttpServer server = Program.get(program.vertx.createHttpServer()
                    .webSocketHandler(socket -> socket.binaryMessageHandler(socket::writeBinaryMessage))
                    .listen(0, Host.NAME));
            WebSocketClient client = program.vertx.createWebSocketClient();
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            WebSocket socket = Program.get(client.connect(server.actualPort(), Host.NAME, "/").onSuccess(
                    open -> open.binaryMessageHandler(buffer -> answer.complete(buffer.getBytes()))));
            Program.get(socket.writeBinaryMessage(Buffer.buffer(message)));
            assertThat(Waiting.get(answer)).isEqualTo(message);
            Program.get(socket.close());
            Program.get(client.close());
        }
    }

    /** A server that does not read fills the client's queue. When it reads, everything arrives, and so does the end. */
    @EachCarrier
    void pausedSocket(Carrier carrier) throws Exception {
        byte[] part = random.next(BODY);
        BlockingQueue<NetSocket> accepted = new LinkedBlockingQueue<>();
        CompletableFuture<byte[]> received = new CompletableFuture<>();
        try (Program program = new Program(carrier)) {
            int port = Program.get(program.vertx.createNetServer().connectHandler(socket -> {
                socket.pause();
                Buffer all = Buffer.buffer();
                socket.handler(all::appendBuffer).endHandler(end -> received.complete(all.getBytes()));
                accepted.add(socket);
            }).listen(0, Host.NAME)).actualPort();
            // On the loop of the socket: if there is one processor, another thread may write for long before it runs.
            NetClient client = program.vertx.createNetClient();
            Buffer sent = Program.get(client.connect(port, Host.NAME).map(socket -> fill(socket, part)));
            Waiting.next(accepted).resume();
            assertThat(Waiting.get(received)).isEqualTo(sent.getBytes());
            Program.get(client.close());
        }
    }

    /** Writes until the queue is full, and then the end. Returns what was written. */
    private static Buffer fill(NetSocket socket, byte[] part) {
        Buffer sent = Buffer.buffer();
        while (!socket.writeQueueFull()) {
            socket.write(Buffer.buffer(part));
            sent.appendBytes(part);
        }
        socket.end();
        return sent;
    }

    private void echo(Carrier carrier, HttpVersion version, HttpServerOptions servers, HttpClientOptions clients)
            throws Exception {
        BlockingQueue<HttpVersion> versions = new LinkedBlockingQueue<>();
        try (Program program = new Program(carrier)) {
            HttpServer server = Program.get(program.vertx.createHttpServer(servers).requestHandler(request -> {
                versions.add(request.version());
                answer(request);
            }).listen(0, Host.NAME));
            HttpClient client = program.vertx.createHttpClient(clients);
            List<byte[]> bodies = new ArrayList<>();
            List<Future<Buffer>> answers = new ArrayList<>();
            for (int i = 0; i < REQUESTS; i++) {
                byte[] body = random.nextUpTo(BODY);
                bodies.add(body);
                answers.add(client.request(HttpMethod.POST, server.actualPort(), Host.NAME, "/echo")
                        .compose(request -> request.send(Buffer.buffer(body))).compose(HttpClientResponse::body));
            }
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(Program.get(answers.get(i)).getBytes()).as("answer %d", i).isEqualTo(bodies.get(i));
            }
            assertThat(versions).hasSize(REQUESTS).containsOnly(version);
            Program.get(client.close());
        }
    }

    /** Answers part by part as they arrive, as fast as the client reads. */
    private static void answer(HttpServerRequest request) {
        request.response().setChunked(true);
        request.pipeTo(request.response());
    }

    /** Two Vert.x loops and everything that is created with them. */
    private static final class Program implements AutoCloseable {

        private final Remains remains = new Remains();
        private final TcpSockets sockets = new TcpSockets();
        private final Carrier carrier;
        private final Vertx vertx;

        private Program(Carrier carrier) {
            this.carrier = carrier;
            vertx = Vertx.builder().with(new VertxOptions().setEventLoopPoolSize(2))
                    .withTransport(carrier == Carrier.RDMA ? new RdmaTransport() : Transport.NIO).build();
        }

        static <T> T get(Future<T> future) throws Exception {
            return Waiting.get(future.toCompletionStage().toCompletableFuture());
        }

        @Override
        public void close() {
            try {
                sockets.check(carrier);
            } finally {
                Future<Void> closed = vertx.close();
                Waiting.until("the end of Vert.x", closed::isComplete);
                assertThat(closed.succeeded()).isTrue();
                remains.close();
            }
        }
    }
}
