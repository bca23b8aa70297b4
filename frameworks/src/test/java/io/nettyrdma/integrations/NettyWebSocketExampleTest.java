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
import io.netty.example.http.websocketx.server.WebSocketServer;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler.ClientHandshakeStateEvent;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketClientCompressionHandler;
import org.junit.jupiter.api.Tag;

import java.net.URI;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** Netty's example of a WebSocket server, which compresses messages and answers in upper case. */
@Tag("device")
@Tested(WebSocketServer.class)
@CallsNioByName("io.netty.example.")
class NettyWebSocketExampleTest {

    private static final int MESSAGES = 100;
    /** The example accepts frames of up to 64 KB. */
    private static final int MESSAGE = 40_000;
    private static final int LIMIT = 1 << 16;

    private final RandomBytes random = new RandomBytes();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> open = new CompletableFuture<>();

    @EachCarrier
    void compressed(Carrier carrier) throws Exception {
        try (ExampleProgram program = new ExampleProgram(carrier)) {
            int port = Ports.next();
            program.start(WebSocketServer.class, Map.of("port", port));
            ExampleBytes.connect(program, port, null);
            Channel client = program.connect(port, channel -> client(channel, port));
            Waiting.get(open);
            program.checkSockets();
            for (int i = 0; i < MESSAGES; i++) {
                String message = Base64.getEncoder().encodeToString(random.nextUpTo(MESSAGE));
                client.writeAndFlush(new TextWebSocketFrame(message));
                assertThat(Waiting.next(received)).as("message %d", i).isEqualTo(message.toUpperCase(Locale.US));
            }
        }
    }

    private void client(Channel channel, int port) {
        channel.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(LIMIT),
                new WebSocketClientCompressionHandler(LIMIT),
                new WebSocketClientProtocolHandler(WebSocketClientProtocolConfig.newBuilder()
                        .webSocketUri(URI.create("ws://127.0.0.1:" + port + "/websocket")).allowExtensions(true)
                        .build()),
                new SimpleChannelInboundHandler<TextWebSocketFrame>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
                        received.add(frame.text());
                    }

                    @Override
                    public void userEventTriggered(ChannelHandlerContext context, Object event) {
                        if (event == ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                            open.complete(null);
                        }
                    }
                });
    }
}
