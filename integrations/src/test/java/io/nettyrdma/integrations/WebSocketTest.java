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

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

import static org.assertj.core.api.Assertions.assertThat;

/** Netty's own WebSocket server and client: from an HTTP request to a closing handshake. */
@Tag("device")
@Tested(WebSocketFrame.class)
class WebSocketTest {

    private static final int LARGE = 1 << 20;
    private static final int PART = 10_000;
    private static final String PATH = "/socket";

    private final RandomBytes random = new RandomBytes();
    private final BlockingQueue<Received> frames = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> open = new CompletableFuture<>();

    /** A copy of a frame, because nothing would release the last frames. */
    private record Received(Class<?> type, byte[] bytes) { }

    @EachCarrier
    void messages(Carrier carrier) throws Exception {
        try (NettyProgram program = new NettyProgram(carrier, WebSocketTest::server)) {
            assertMessages(program.connect(channel -> client(channel, "ws", program)));
        }
    }

    @EachCarrier
    void overTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        SslContext server = identity.server().sslProvider(SslProvider.JDK).build();
        SslContext client = identity.client().sslProvider(SslProvider.JDK).build();
        try (NettyProgram program = new NettyProgram(carrier, channel -> {
            channel.pipeline().addLast(server.newHandler(channel.alloc()));
            server(channel);
        })) {
            assertMessages(program.connect(channel -> {
                channel.pipeline().addLast(client.newHandler(channel.alloc(), Host.NAME,
                        program.address().getPort()));
                client(channel, "wss", program);
            }));
        }
    }

    /** The closing side sends a reason and gets it back, and only then does the connection end. */
    @EachCarrier
    void closingHandshake(Carrier carrier) throws Exception {
        try (NettyProgram program = new NettyProgram(carrier, WebSocketTest::server)) {
            Channel client = program.connect(channel -> client(channel, "ws", program));
            Waiting.get(open);
            client.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.POLICY_VIOLATION, "enough"));
            CloseWebSocketFrame expected = new CloseWebSocketFrame(WebSocketCloseStatus.POLICY_VIOLATION, "enough");
            assertNext(CloseWebSocketFrame.class, ByteBufUtil.getBytes(expected.content()));
            expected.release();
            assertThat(client.closeFuture().await(Waiting.SECONDS * 1000L)).isTrue();
        }
    }

    private void assertMessages(Channel client) throws Exception {
        Waiting.get(open);
        client.writeAndFlush(new TextWebSocketFrame("gr\u00fc\u00dfe"));
        assertNext(TextWebSocketFrame.class, "gr\u00fc\u00dfe".getBytes(StandardCharsets.UTF_8));

        client.writeAndFlush(new PingWebSocketFrame(Unpooled.wrappedBuffer(new byte[] { 42 })));
        assertNext(PongWebSocketFrame.class, new byte[] { 42 });

        byte[] message = random.next(LARGE);
        client.writeAndFlush(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(message)));
        assertNext(BinaryWebSocketFrame.class, message);

        byte[] inParts = random.next(LARGE / 4);
        client.write(new BinaryWebSocketFrame(false, 0, Unpooled.wrappedBuffer(inParts, 0, PART)));
        for (int at = PART; at < inParts.length; at += PART) {
            int length = Math.min(PART, inParts.length - at);
            client.write(new ContinuationWebSocketFrame(at + length == inParts.length, 0,
                    Unpooled.wrappedBuffer(inParts, at, length)));
        }
        client.flush();
        assertNext(BinaryWebSocketFrame.class, inParts);
    }

    private void assertNext(Class<?> type, byte[] bytes) throws Exception {
        Received next = Waiting.next(frames);
        assertThat(next.type()).isEqualTo(type);
        assertThat(next.bytes()).isEqualTo(bytes);
    }

    private static void server(Channel channel) {
        WebSocketServerProtocolConfig config = WebSocketServerProtocolConfig.newBuilder().websocketPath(PATH)
                .maxFramePayloadLength(LARGE).build();
        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(PART),
                new WebSocketServerProtocolHandler(config), new WebSocketFrameAggregator(LARGE),
                new SimpleChannelInboundHandler<WebSocketFrame>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
                        context.writeAndFlush(frame.retain());
                    }
                });
    }

    private void client(Channel channel, String scheme, NettyProgram program) {
        WebSocketClientProtocolConfig config = WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(URI.create(scheme + "://" + Host.NAME + ":" + program.address().getPort() + PATH))
                .maxFramePayloadLength(LARGE)
                .handleCloseFrames(false).dropPongFrames(false).build();
        channel.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(PART),
                new WebSocketClientProtocolHandler(config), new WebSocketFrameAggregator(LARGE), new Client());
    }

    private final class Client extends SimpleChannelInboundHandler<WebSocketFrame> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
            frames.add(new Received(frame.getClass(), ByteBufUtil.getBytes(frame.content())));
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == WebSocketClientProtocolHandler.ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                open.complete(null);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            open.completeExceptionally(cause);
            context.fireExceptionCaught(cause);
        }
    }
}
