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

import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.client.WebsocketClientTransport;
import io.rsocket.transport.netty.server.CloseableChannel;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.transport.netty.server.WebsocketServerTransport;
import io.rsocket.util.DefaultPayload;
import org.junit.jupiter.api.Tag;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** RSocket on Reactor Netty's TCP and WebSocket, which it uses unchanged. */
@Tag("device")
@Tested(TcpServerTransport.class)
class RSocketTest {

    private static final int MESSAGES = 30;
    private static final int AT_ONCE = 4;
    private static final int LENGTH = 10_000;
    private static final int FRAGMENT = 4_096;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void requestResponse(Carrier carrier) {
        List<byte[]> requests = messages();
        run(carrier, Way.TCP, new Service(), client -> assertThat(Flux.fromIterable(requests)
                .flatMapSequential(request -> client.requestResponse(DefaultPayload.create(request)), AT_ONCE)
                .map(RSocketTest::taken).collectList().block(ReactorProgram.WAIT))
                .usingElementComparator(Arrays::compare).containsExactlyElementsOf(requests));
    }

    @EachCarrier
    void overWebSocket(Carrier carrier) {
        List<byte[]> requests = messages();
        run(carrier, Way.WEB_SOCKET, new Service(), client -> assertThat(Flux.fromIterable(requests)
                .flatMapSequential(request -> client.requestResponse(DefaultPayload.create(request)), AT_ONCE)
                .map(RSocketTest::taken).collectList().block(ReactorProgram.WAIT))
                .usingElementComparator(Arrays::compare).containsExactlyElementsOf(requests));
    }

    /** The server produces no more than the client requests. */
    @EachCarrier
    void stream(Carrier carrier) {
        run(carrier, Way.TCP, new Service(), client -> assertThat(client.requestStream(DefaultPayload.create("message"))
                .limitRate(2).map(answer -> new String(taken(answer), StandardCharsets.UTF_8))
                .collectList().block(ReactorProgram.WAIT))
                .isEqualTo(IntStream.range(0, MESSAGES).mapToObj(i -> "message" + i).toList()));
    }

    @EachCarrier
    void channel(Carrier carrier) {
        List<byte[]> messages = messages();
        run(carrier, Way.TCP, new Service(), client -> assertThat(client.requestChannel(
                        Flux.fromIterable(messages).map(DefaultPayload::create))
                .map(RSocketTest::taken).collectList().block(ReactorProgram.WAIT))
                .usingElementComparator(Arrays::compare).containsExactlyElementsOf(messages));
    }

    @EachCarrier
    void fireAndForget(Carrier carrier) {
        List<byte[]> messages = messages();
        Service service = new Service();
        run(carrier, Way.TCP, service, client -> {
            Flux.fromIterable(messages).concatMap(message -> client.fireAndForget(DefaultPayload.create(message)))
                    .then().block(ReactorProgram.WAIT);
            Waiting.until("all messages", () -> service.forgotten.size() == MESSAGES);
            assertThat(new ArrayList<>(service.forgotten)).usingElementComparator(Arrays::compare)
                    .containsExactlyElementsOf(messages);
        });
    }

    @EachCarrier
    void failure(Carrier carrier) {
        run(carrier, Way.TCP, new Service(), client -> assertThatThrownBy(() ->
                client.requestResponse(DefaultPayload.create(new byte[0])).block(ReactorProgram.WAIT))
                .hasMessageContaining("nothing to answer"));
    }

    private enum Way {
        TCP,
        WEB_SOCKET
    }

    private interface Use {
        void with(RSocket client);
    }

    private static void run(Carrier carrier, Way way, Service service, Use use) {
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            RSocketServer server = RSocketServer.create(SocketAcceptor.with(service)).fragment(FRAGMENT)
                    .payloadDecoder(PayloadDecoder.ZERO_COPY);
            CloseableChannel bound = way == Way.TCP
                    ? server.bindNow(TcpServerTransport.create(program.tcpServer()))
                    : server.bindNow(WebsocketServerTransport.create(program.httpServer()));
            InetSocketAddress address = bound.address();
            RSocketConnector connector = RSocketConnector.create().fragment(FRAGMENT)
                    .payloadDecoder(PayloadDecoder.ZERO_COPY);
            RSocket client = connector.connect(way == Way.TCP
                    ? TcpClientTransport.create(program.tcpClient(() -> address))
                    : WebsocketClientTransport.create(program.httpClient(() -> address), "/"))
                    .block(ReactorProgram.WAIT);
            use.with(client);
            program.checkSockets();
            client.dispose();
            client.onClose().block(ReactorProgram.WAIT);
            bound.dispose();
            bound.onClose().block(ReactorProgram.WAIT);
        }
    }

    private List<byte[]> messages() {
        return IntStream.range(0, MESSAGES).mapToObj(i -> random.next(1 + i * LENGTH / MESSAGES)).toList();
    }

    private static byte[] taken(Payload payload) {
        byte[] bytes = new byte[payload.data().readableBytes()];
        payload.data().getBytes(payload.data().readerIndex(), bytes);
        payload.release();
        return bytes;
    }

    /** Echoes requests. */
    private static final class Service implements RSocket {

        private final Queue<byte[]> forgotten = new ConcurrentLinkedQueue<>();

        @Override
        public Mono<Void> fireAndForget(Payload payload) {
            forgotten.add(taken(payload));
            return Mono.empty();
        }

        @Override
        public Mono<Payload> requestResponse(Payload payload) {
            byte[] request = taken(payload);
            return request.length == 0 ? Mono.error(new IllegalArgumentException("nothing to answer"))
                    : Mono.just(DefaultPayload.create(request));
        }

        @Override
        public Flux<Payload> requestStream(Payload payload) {
            String request = payload.getDataUtf8();
            payload.release();
            return Flux.range(0, MESSAGES).map(i -> DefaultPayload.create(request + i));
        }

        @Override
        public Flux<Payload> requestChannel(Publisher<Payload> payloads) {
            return Flux.from(payloads).map(RSocketTest::taken).map(DefaultPayload::create);
        }
    }
}
