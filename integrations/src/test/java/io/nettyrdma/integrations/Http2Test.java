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

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

import static org.assertj.core.api.Assertions.assertThat;

/** Netty's own HTTP/2: frames, streams as channels, and the connection below them. */
@Tag("device")
@Tested(Http2FrameCodec.class)
class Http2Test {

    private static final int STREAMS = 40;
    private static final int BODY = 50_000;
    private static final int PART = 16 << 10;
    /** The default window of a stream, and of the connection. */
    private static final int WINDOW = 65_535;
    /** What a stream accepts before it becomes unwritable, and one more part. */
    private static final int QUEUED = (64 << 10) + 2 * PART;
    private static final ApplicationProtocolConfig HTTP_2 = new ApplicationProtocolConfig(Protocol.ALPN,
            SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2);

    private final RandomBytes random = new RandomBytes();
    private final BlockingQueue<Http2StreamChannel> accepted = new LinkedBlockingQueue<>();

    @EachCarrier
    void manyStreams(Carrier carrier) throws Exception {
        try (NettyProgram program = new NettyProgram(carrier, this::echoServer)) {
            assertEchoes(program.connect(Http2Test::client));
        }
    }

    @EachCarrier
    void overTls(Carrier carrier, @TempDir Path directory) throws Exception {
        Identity identity = new Identity(directory);
        SslContext server = identity.server().sslProvider(SslProvider.JDK).applicationProtocolConfig(HTTP_2).build();
        SslContext client = identity.client().sslProvider(SslProvider.JDK).applicationProtocolConfig(HTTP_2).build();
        try (NettyProgram program = new NettyProgram(carrier, channel -> {
            channel.pipeline().addLast(server.newHandler(channel.alloc()));
            echoServer(channel);
        })) {
            Channel connection = program.connect(channel -> {
                channel.pipeline().addLast(client.newHandler(channel.alloc(), Host.NAME,
                        program.address().getPort()));
                client(channel);
            });
            assertEchoes(connection);
            assertThat(connection.pipeline().get(SslHandler.class).applicationProtocol()).isEqualTo("h2");
        }
    }

    /** The writer is limited by the stream's window and its own queue. Everything arrives when the reader continues. */
    @EachCarrier
    void slowStreamStopsItsWriter(Carrier carrier) throws Exception {
        byte[] body = random.next(8 * WINDOW);
        Http2Pump writer = new Http2Pump(body, PART);
        try (NettyProgram program = new NettyProgram(carrier, channel -> server(channel, stream -> {
            stream.config().setAutoRead(false);
            stream.pipeline().addLast(new Http2Echo());
            accepted.add((Http2StreamChannel) stream);
        }))) {
            Http2Answer answer = new Http2Answer();
            Http2StreamChannel stream = open(program.connect(Http2Test::client), answer);
            stream.pipeline().addFirst(writer);
            stream.writeAndFlush(new DefaultHttp2HeadersFrame(request())).sync();
            ChannelHandlerContext context = stream.pipeline().context(writer);
            stream.eventLoop().execute(() -> writer.pump(context));
            Http2StreamChannel slow = Waiting.next(accepted);
            Waiting.until("the writer to stop", () -> writer.sent() >= WINDOW && !stream.isWritable());
            assertThat(writer.sent()).isLessThanOrEqualTo(WINDOW + QUEUED);
            slow.config().setAutoRead(true);
            assertThat(answer.body()).isEqualTo(body);
        }
    }

    @EachCarrier
    void resetOfOneStreamLeavesTheOthers(Carrier carrier) throws Exception {
        byte[] body = random.next(BODY);
        try (NettyProgram program = new NettyProgram(carrier, this::echoServer)) {
            Channel connection = program.connect(Http2Test::client);
            Http2Answer broken = new Http2Answer();
            Http2StreamChannel stream = open(connection, broken);
            stream.writeAndFlush(new DefaultHttp2HeadersFrame(request())).sync();
            Waiting.next(accepted).writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.ENHANCE_YOUR_CALM)).sync();
            assertThat(broken.resetCode()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
            Http2Answer answer = new Http2Answer();
            post(open(connection, answer), body);
            assertThat(answer.body()).isEqualTo(body);
        }
    }

    @EachCarrier
    void pingAndGoAway(Carrier carrier) throws Exception {
        BlockingQueue<Long> pings = new LinkedBlockingQueue<>();
        BlockingQueue<Long> farewells = new LinkedBlockingQueue<>();
        BlockingQueue<Channel> connections = new LinkedBlockingQueue<>();
        try (NettyProgram program = new NettyProgram(carrier, channel -> {
            echoServer(channel);
            connections.add(channel);
        })) {
            Channel client = program.connect(channel -> {
                client(channel);
                channel.pipeline().addLast(new ConnectionFrames(pings, farewells));
            });
            client.writeAndFlush(new DefaultHttp2PingFrame(42)).sync();
            assertThat(Waiting.next(pings)).isEqualTo(42);
            Channel server = Waiting.next(connections);
            server.writeAndFlush(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR, Unpooled.EMPTY_BUFFER)).sync();
            assertThat(Waiting.next(farewells)).isEqualTo(Http2Error.NO_ERROR.code());
            client.close().sync();
            assertThat(server.closeFuture().await(Waiting.SECONDS * 1000L)).isTrue();
        }
    }

    private void assertEchoes(Channel connection) throws Exception {
        List<byte[]> bodies = new ArrayList<>();
        List<Http2Answer> answers = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            Http2Answer answer = new Http2Answer();
            byte[] body = random.nextUpTo(BODY);
            post(open(connection, answer), body);
            bodies.add(body);
            answers.add(answer);
        }
        for (int i = 0; i < STREAMS; i++) {
            assertThat(answers.get(i).body()).as("stream %d", i).isEqualTo(bodies.get(i));
        }
    }

    private void echoServer(Channel channel) {
        server(channel, stream -> {
            stream.pipeline().addLast(new Http2Echo());
            accepted.add((Http2StreamChannel) stream);
        });
    }

    private static void server(Channel channel, Consumer<Channel> streams) {
        channel.pipeline().addLast(Http2FrameCodecBuilder.forServer().build(),
                new Http2MultiplexHandler(NettyProgram.initializer(streams)));
    }

    private static void client(Channel channel) {
        channel.pipeline().addLast(Http2FrameCodecBuilder.forClient().build(),
                new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
    }

    private static Http2StreamChannel open(Channel connection, Http2Answer answer) throws Exception {
        return new Http2StreamChannelBootstrap(connection).handler(answer).open().sync().getNow();
    }

    private static DefaultHttp2Headers request() {
        DefaultHttp2Headers headers = new DefaultHttp2Headers();
        headers.method(HttpMethod.POST.asciiName()).path("/echo").scheme("http").authority("here");
        return headers;
    }

    private static void post(Http2StreamChannel stream, byte[] body) {
        stream.write(new DefaultHttp2HeadersFrame(request()));
        for (int at = 0; at < body.length; at += PART) {
            stream.write(new DefaultHttp2DataFrame(
                    Unpooled.wrappedBuffer(body, at, Math.min(PART, body.length - at)), false));
        }
        stream.writeAndFlush(new DefaultHttp2DataFrame(true));
    }

    /** Frames of the connection rather than of a stream. */
    private static final class ConnectionFrames extends SimpleChannelInboundHandler<Object> {

        private final BlockingQueue<Long> pings;
        private final BlockingQueue<Long> farewells;

        private ConnectionFrames(BlockingQueue<Long> pings, BlockingQueue<Long> farewells) {
            this.pings = pings;
            this.farewells = farewells;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, Object frame) {
            if (frame instanceof Http2PingFrame ping && ping.ack()) {
                pings.add(ping.content());
            } else if (frame instanceof Http2GoAwayFrame farewell) {
                farewells.add(farewell.errorCode());
            }
        }
    }
}
