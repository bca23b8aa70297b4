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

import org.junit.jupiter.api.Tag;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.web.reactive.function.server.RequestPredicates.GET;
import static org.springframework.web.reactive.function.server.RequestPredicates.POST;

/** Spring WebFlux, server and {@link WebClient}, which use Reactor Netty's unchanged. */
@Tag("device")
@Tested(RouterFunctions.class)
class WebFluxTest {

    private static final int REQUESTS = 20;
    private static final int AT_ONCE = 4;
    private static final int BODY = 30_000;
    private static final int LARGE = 1 << 20;
    private static final int EVENTS = 100;

    private final RandomBytes random = new RandomBytes();

    @EachCarrier
    void bodies(Carrier carrier) {
        List<byte[]> bodies = IntStream.range(0, REQUESTS).mapToObj(i -> random.next(1 + i * BODY / REQUESTS)).toList();
        RouterFunction<ServerResponse> routes = RouterFunctions.route(POST("/echo"), request ->
                ServerResponse.ok().body(request.bodyToMono(byte[].class), byte[].class));
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            WebClient client = start(program, routes);
            assertThat(Flux.fromIterable(bodies).flatMapSequential(body -> client.post().uri("/echo")
                            .contentType(MediaType.APPLICATION_OCTET_STREAM).bodyValue(body).retrieve()
                            .bodyToMono(byte[].class), AT_ONCE)
                    .collectList().block(ReactorProgram.WAIT)).usingElementComparator(Arrays::compare)
                    .containsExactlyElementsOf(bodies);
        }
    }

    /** Events that the client gets one by one, the next when it is done with one. */
    @EachCarrier
    void events(Carrier carrier) {
        List<String> events = IntStream.range(0, EVENTS).mapToObj(i -> "event " + i).toList();
        RouterFunction<ServerResponse> routes = RouterFunctions.route(GET("/events"), request -> ServerResponse.ok()
                .contentType(MediaType.TEXT_EVENT_STREAM).body(Flux.fromIterable(events), String.class));
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            assertThat(start(program, routes).get().uri("/events").retrieve().bodyToFlux(String.class).limitRate(1)
                    .collectList().block(ReactorProgram.WAIT)).isEqualTo(events);
        }
    }

    @EachCarrier
    void resource(Carrier carrier) {
        byte[] content = random.next(LARGE);
        RouterFunction<ServerResponse> routes = RouterFunctions.route(GET("/content"), request -> ServerResponse.ok()
                .body(Mono.<Resource>just(new ByteArrayResource(content)), Resource.class));
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            assertThat(start(program, routes).mutate()
                    .codecs(codecs -> codecs.defaultCodecs().maxInMemorySize(LARGE)).build()
                    .get().uri("/content").retrieve().bodyToMono(byte[].class).block(ReactorProgram.WAIT))
                    .isEqualTo(content);
        }
    }

    @EachCarrier
    void failure(Carrier carrier) {
        RouterFunction<ServerResponse> routes = RouterFunctions.route(GET("/failure"), WebFluxTest::fail);
        try (ReactorProgram program = new ReactorProgram(carrier)) {
            assertThat(start(program, routes).get().uri("/failure")
                    .exchangeToMono(response -> response.releaseBody().thenReturn(response.statusCode()))
                    .block(ReactorProgram.WAIT)).isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
        }
    }

    private static Mono<ServerResponse> fail(ServerRequest request) {
        return Mono.error(new IllegalStateException("not today"));
    }

    private static WebClient start(ReactorProgram program, RouterFunction<ServerResponse> routes) {
        DisposableServer server = program.started(program.httpServer()
                .handle(new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(routes))).bindNow());
        return WebClient.builder().clientConnector(new ReactorClientHttpConnector(program.httpClient(server))).build();
    }
}
