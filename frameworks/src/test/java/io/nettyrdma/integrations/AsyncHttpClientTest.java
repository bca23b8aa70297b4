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

import io.netty.handler.ssl.SslContext;
import org.asynchttpclient.AsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClient;
import org.asynchttpclient.DefaultAsyncHttpClientConfig;
import org.asynchttpclient.Response;
import org.asynchttpclient.ws.WebSocket;
import org.asynchttpclient.ws.WebSocketListener;
import org.asynchttpclient.ws.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** AsyncHttpClient, which supports only four named loops. The server is Reactor Netty's. */
@Tag("device")
@Tested(AsyncHttpClient.class)
@CallsNioByName("org.asynchttpclient.")
class AsyncHttpClientTest {

    private static final int REQUESTS = 10;
    private static final int BODY = 30_000;
    private static final int LARGE = 1 << 20;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void http1(Carrier carrier) throws Exception {
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(echo(program.httpServer()).bindNow());
            try (AsyncHttpClient client = client(null)) {
                assertEchoes(client, "http", server);
                program.checkSockets();
            }
            endLoops();
        }
    }

    @EachCarrier
    void http1OverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        SslContext tls = identity.server().build();
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(echo(program.httpServer().secure(ssl -> ssl.sslContext(tls)))
                    .bindNow());
            try (AsyncHttpClient client = client(identity.client().build())) {
                assertEchoes(client, "https", server);
                program.checkSockets();
            }
            endLoops();
        }
    }

    @EachCarrier
    void webSocket(Carrier carrier) throws Exception {
        BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            DisposableServer server = program.started(program.httpServer().route(routes -> routes.ws("/echo",
                    (in, out) -> out.send(in.aggregateFrames().receive().retain()))).bindNow());
            try (AsyncHttpClient client = client(null)) {
                WebSocket socket = Waiting.get(client.prepareGet(uri("ws", server)).execute(
                        new WebSocketUpgradeHandler.Builder().addWebSocketListener(new Receiver(received)).build()));
                for (int i = 0; i < REQUESTS; i++) {
                    byte[] message = random.nextUpTo(BODY);
                    Waiting.get(socket.sendBinaryFrame(message));
                    assertThat(Waiting.next(received)).isEqualTo(message);
                }
                program.checkSockets();
                Waiting.get(socket.sendCloseFrame());
            }
            endLoops();
        }
    }

    /** The client ends them when it closes, and does not wait. */
    private static void endLoops() {
        RdmaLoops.endAll();
        Waiting.until("the end of the client's loops", () -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("AsyncHttpClient-")));
    }

    private void assertEchoes(AsyncHttpClient client, String scheme, DisposableServer server) throws Exception {
        List<byte[]> bodies = new ArrayList<>(List.of(random.next(LARGE)));
        List<CompletableFuture<Response>> answers = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            bodies.add(random.next(1 + i * BODY / REQUESTS));
        }
        for (byte[] body : bodies) {
            answers.add(client.preparePost(uri(scheme, server)).setBody(body).execute().toCompletableFuture());
        }
        for (int i = 0; i < bodies.size(); i++) {
            assertThat(Waiting.get(answers.get(i)).getResponseBodyAsBytes()).as("answer %d", i)
                    .isEqualTo(bodies.get(i));
        }
    }

    private static HttpServer echo(HttpServer server) {
        return server.handle((request, response) -> response.send(request.receive().retain()));
    }

    private static String uri(String scheme, DisposableServer server) {
        return scheme + "://127.0.0.1:" + ((InetSocketAddress) server.address()).getPort() + "/echo";
    }

    private static AsyncHttpClient client(SslContext tls) {
        return new DefaultAsyncHttpClient(new DefaultAsyncHttpClientConfig.Builder().setIoThreadsCount(1)
                .setSslContext(tls).setConnectTimeout(Duration.ofSeconds(Waiting.SECONDS))
                .setShutdownQuietPeriod(Duration.ZERO)
                .setWebSocketMaxFrameSize(BODY).build());
    }

    /** Collects whole messages. */
    private static final class Receiver implements WebSocketListener {

        private final BlockingQueue<byte[]> received;

        private Receiver(BlockingQueue<byte[]> received) {
            this.received = received;
        }

        @Override
        public void onOpen(WebSocket socket) {
        }

        @Override
        public void onClose(WebSocket socket, int code, String reason) {
        }

        @Override
        public void onError(Throwable cause) {
            throw new AssertionError(cause);
        }

        @Override
        public void onBinaryFrame(byte[] payload, boolean finalFragment, int rsv) {
            received.add(payload);
        }
    }
}
