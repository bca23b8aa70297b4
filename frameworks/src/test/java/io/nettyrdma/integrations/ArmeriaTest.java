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

import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.ClientFactoryBuilder;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerPort;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Armeria, which supports only four named transports, and takes the server's from a property. */
@Tag("device")
@Tested(Server.class)
@CallsNioByName("com.linecorp.armeria.")
class ArmeriaTest {

    private static final int REQUESTS = 10;
    private static final int BODY = 30_000;
    private static final int LARGE = 1 << 20;
    private static final Duration WAIT = Duration.ofSeconds(Waiting.SECONDS);

    static {
        System.setProperty("com.linecorp.armeria.transportType", "nio");
    }

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void http1(Carrier carrier) throws Exception {
        echo(carrier, "h1c", null);
    }

    @EachCarrier
    void http2(Carrier carrier) throws Exception {
        echo(carrier, "h2c", null);
    }

    @EachCarrier
    void http2OverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        echo(carrier, "h2", new Identity(directory));
    }

    private void echo(Carrier carrier, String scheme, Identity identity) throws Exception {
        List<byte[]> bodies = new ArrayList<>(List.of(random.next(LARGE)));
        for (int i = 0; i < REQUESTS; i++) {
            bodies.add(random.next(1 + i * BODY / REQUESTS));
        }
        try (Program program = new Program(carrier, scheme, identity)) {
            List<CompletableFuture<AggregatedHttpResponse>> answers = new ArrayList<>();
            for (byte[] body : bodies) {
                answers.add(program.client.execute(HttpRequest.of(HttpMethod.POST, "/echo", MediaType.OCTET_STREAM,
                        body)).aggregate());
            }
            for (int i = 0; i < bodies.size(); i++) {
                assertThat(Waiting.get(answers.get(i)).content().array()).as("answer %d", i).isEqualTo(bodies.get(i));
            }
            program.loops.checkSockets();
        }
    }

    /** A server and a client on the same loops, except for the accepting loop, which a server ends itself. */
    private static final class Program implements AutoCloseable {

        private final Loops loops;
        private final Server server;
        private final ClientFactory factory;
        private final WebClient client;

        /** @param identity for TLS, or null */
        private Program(Carrier carrier, String scheme, Identity identity) throws Exception {
            loops = new Loops(carrier);
            ServerBuilder servers = Server.builder().workerGroup(loops.group(), false).requestTimeout(WAIT)
                    .idleTimeout(WAIT)
                    .bossGroupFactory(name -> new MultiThreadIoEventLoopGroup(1, carrier.ioHandlers()))
                    .service("/echo", (context, request) -> HttpResponse.of(request.aggregate().thenApply(
                            all -> HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, all.content()))));
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            ClientFactoryBuilder clients = ClientFactory.builder().workerGroup(loops.group(), false)
                    .connectTimeout(WAIT).idleTimeout(WAIT);
            if (identity == null) {
                servers.http(address);
            } else {
                servers.https(address).tls(identity.keys());
                TrustManagerFactory trust = identity.trust();
                clients.tlsCustomizer(tls -> tls.trustManager(trust));
            }
            server = servers.build();
            Waiting.get(server.start());
            factory = clients.build();
            ServerPort port = server.activePort();
            client = WebClient.builder(scheme + "://127.0.0.1:" + port.localAddress().getPort()).factory(factory)
                    .writeTimeout(WAIT).responseTimeout(WAIT).maxResponseLength(2L * LARGE).build();
        }

        @Override
        public void close() {
            factory.close();
            server.stop().join();
            loops.close();
        }
    }
}
