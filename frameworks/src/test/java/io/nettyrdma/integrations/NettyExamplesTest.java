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

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.example.echo.EchoServer;
import io.netty.example.file.FileServer;
import io.netty.example.http.file.HttpStaticFileServer;
import io.netty.example.http2.helloworld.client.Http2Client;
import io.netty.example.http2.helloworld.server.Http2Server;
import io.netty.example.objectecho.ObjectEchoServer;
import io.netty.example.proxy.HexDumpProxy;
import io.netty.handler.codec.serialization.ClassResolvers;
import io.netty.handler.codec.serialization.ObjectDecoder;
import io.netty.handler.codec.serialization.ObjectEncoder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Netty's own examples, unchanged from `netty-example`, each run by its `main`. */
@Tag("device")
@Tested(EchoServer.class)
@CallsNioByName("io.netty.example.")
class NettyExamplesTest {

    private static final int BODY = 300_000;
    private static final int LARGE = 5 << 20;

    private final RandomBytes random = new RandomBytes();

    /** A proxy in front of a server. The proxy reads only after it has written. */
    @EachCarrier
    void proxy(Carrier carrier) throws Exception {
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int server = Ports.next();
            int proxy = Ports.next();
            program.start(EchoServer.class, Map.of("port", server));
            ExampleBytes.connect(program, server, null);
            program.start(HexDumpProxy.class,
                    Map.of("localPort", proxy, "remoteHost", "127.0.0.1", "remotePort", server));
            ExampleBytes client = ExampleBytes.connect(program, proxy, null);
            program.checkSockets();
            byte[] sent = random.next(BODY);
            client.write(sent);
            assertThat(client.next(BODY)).isEqualTo(sent);
        }
    }

    @EachCarrier
    void file(Carrier carrier, @TempDir Path directory) throws Exception {
        assertFile(carrier, directory, Map.of(), null);
    }

    @EachCarrier
    void fileOverTls(Carrier carrier, @TempDir Path directory) throws Exception {
        assertFile(carrier, directory, Map.of("ssl", ""),
                SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE)
                        .endpointIdentificationAlgorithm(null).build());
    }

    private void assertFile(Carrier carrier, Path directory, Map<String, ?> properties, SslContext tls)
            throws Exception {
        byte[] content = random.next(LARGE);
        Path file = Files.write(directory.resolve("content"), content);
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int port = Ports.next();
            program.start(FileServer.class, with(properties, "port", port));
            ExampleBytes client = ExampleBytes.connect(program, port, tls);
            client.write(file + "\n");
            String head = "HELLO: Type the path of the file to retrieve.\nOK: " + LARGE + '\n';
            byte[] received = client.next(head.length() + LARGE + 1);
            assertThat(new String(received, 0, head.length(), StandardCharsets.US_ASCII)).isEqualTo(head);
            assertThat(ExampleBytes.last(received, LARGE + 1)).startsWith(content).endsWith('\n');
        }
    }

    /** It serves the files of its working directory. */
    @EachCarrier
    void httpFile(Carrier carrier) throws Exception {
        byte[] content = Files.readAllBytes(Path.of("pom.xml"));
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int port = Ports.next();
            program.start(HttpStaticFileServer.class, Map.of("port", port));
            ExampleBytes client = ExampleBytes.connect(program, port, null);
            client.write("GET /pom.xml HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
            byte[] answer = client.all();
            assertThat(new String(answer, StandardCharsets.ISO_8859_1)).startsWith("HTTP/1.1 200 OK");
            assertThat(ExampleBytes.last(answer, content.length)).isEqualTo(content);
        }
    }

    @EachCarrier
    void http2(Carrier carrier) throws Exception {
        assertHttp2(carrier, Map.of());
    }

    @EachCarrier
    void http2OverTls(Carrier carrier) throws Exception {
        assertHttp2(carrier, Map.of("ssl", ""));
    }

    /** Server and client are both Netty's. The client's result says whether it got its answers. */
    private static void assertHttp2(Carrier carrier, Map<String, ?> properties) throws Exception {
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int port = Ports.next();
            program.start(Http2Server.class, with(properties, "port", port));
            ExampleBytes.connect(program, port, null);
            Waiting.get(program.start(Http2Client.class, with(with(properties, "port", port), "url2", "/second")));
        }
    }

    @EachCarrier
    void objectEcho(Carrier carrier) throws Exception {
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int port = Ports.next();
            program.start(ObjectEchoServer.class, Map.of("port", port));
            BlockingQueue<Object> received = new LinkedBlockingQueue<>();
            Channel client = program.connect(port, channel -> objects(channel, received));
            List<Integer> sent = IntStream.range(0, BODY / 10).boxed().collect(Collectors.toList());
            client.writeAndFlush(sent);
            client.writeAndFlush("the second");
            assertThat(Waiting.next(received)).isEqualTo(sent);
            assertThat(Waiting.next(received)).isEqualTo("the second");
        }
    }

    @SuppressWarnings("deprecation")
    private static void objects(Channel channel, BlockingQueue<Object> received) {
        channel.pipeline().addLast(new ObjectEncoder(), new ObjectDecoder(ClassResolvers.cacheDisabled(null)),
                new SimpleChannelInboundHandler<Object>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, Object object) {
                        received.add(object);
                    }
                });
    }

    private static Map<String, Object> with(Map<String, ?> properties, String name, Object value) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put(name, value);
        return all;
    }
}
