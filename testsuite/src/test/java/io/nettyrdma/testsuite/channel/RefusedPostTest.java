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
package io.nettyrdma.testsuite.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.EchoHandler;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The device refuses a post: the write fails with the reason, a close completes, and other connections continue. */
@Tag("device")
class RefusedPostTest {

    private static final int MESSAGES = 20;

    private final Promises promises = new Promises();

    @BeforeEach
    void assumeFaults() {
        SoftHca.assumeItIsTheDevice();
    }

    @AfterEach
    void endFaults() throws Exception {
        SoftHca.noFaults();
    }

    /** Small messages are copied, large ones would be gathered. */
    @ParameterizedTest
    @ValueSource(ints = { 10, 20_000 })
    void refusedWritesCloseTheChannel(int length) throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            SameBytes others = new SameBytes(new byte[length]);
            RdmaChannel other = pair.connect(others);
            Recorder recorder = new Recorder();
            RdmaChannel client = pair.connect(recorder);
            RdmaChannel server = settle(pair, client);
            List<ByteBuf> buffers = new ArrayList<>();
            List<ChannelPromise> written = new ArrayList<>();
            for (int i = 0; i < MESSAGES; i++) {
                buffers.add(buffer(client, length));
                written.add(promises.next(client));
                client.write(buffers.get(i), written.get(i));
            }
            SoftHca.faults(1, "post@1");
            client.flush();
            awaitEnd(client.closeFuture());
            promises.assertEachEndsOnce(Deadline.standard());
            assertThat(written).allSatisfy(each -> assertThat(each.cause()).isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ENOMEM"));
            Deadline.standard().until("buffers that come back",
                    () -> buffers.stream().allMatch(each -> each.refCnt() == 0));
            awaitEnd(server.closeFuture());
            awaitEnd(other.writeAndFlush(buffer(other, length)));
            Deadline.standard().until("the other's echo", () -> others.count() == length);
        }
    }

    /** FIN itself is refused, so it is not waited for. */
    @Test
    void closeSucceedsWhenItsFinIsRefused() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new Recorder());
            RdmaChannel server = settle(pair, client);
            SoftHca.faults(1, "post@1");
            assertThat(awaitEnd(client.close()).isSuccess()).isTrue();
            awaitEnd(server.closeFuture());
        }
    }

    /** An application may read on after a failed write, and the close still completes. */
    @Test
    void refusedWritesWithoutAutoCloseKeepTheChannelOpen() throws Exception {
        try (ChannelPair pair = new ChannelPair(EchoHandler::new)) {
            RdmaChannel client = pair.connect(new Recorder(),
                    bootstrap -> bootstrap.option(ChannelOption.AUTO_CLOSE, false));
            settle(pair, client);
            SoftHca.faults(1, "post@1");
            ChannelPromise written = promises.next(client);
            assertThat(awaitEnd(client.writeAndFlush(buffer(client, 10), written)).cause())
                    .hasRootCauseInstanceOf(VerbsException.class);
            assertThat(client.isOpen()).isTrue();
            assertThat(client.isOutputShutdown()).isTrue();
            assertThat(awaitEnd(client.close()).isSuccess()).isTrue();
            promises.assertEachEndsOnce(Deadline.standard());
        }
    }

    /** Both ends of the connection end, whichever of them could not post receives. */
    @Test
    void refusedReceivesCloseTheChannel() throws Exception {
        List<Recorder> servers = new ArrayList<>();
        try (ChannelPair pair = new ChannelPair(() -> {
            Recorder server = new Recorder(true);
            servers.add(server);
            return server;
        })) {
            Recorder recorder = new Recorder();
            RdmaChannel client = pair.connect(recorder);
            RdmaChannel server = settle(pair, client);
            SoftHca.faults(1, "post-receive@1");
            Deadline deadline = Deadline.standard();
            while (client.isActive()) {
                awaitEnd(client.writeAndFlush(buffer(client, 100)));
                deadline.pause(() -> "the end");
            }
            awaitEnd(client.closeFuture());
            awaitEnd(server.closeFuture());
            // A channel is closed before its writes fail, one of which may be the only report.
            ChannelPair.letWork(client.eventLoop());
            ChannelPair.letWork(server.eventLoop());
            List<Throwable> failures = new ArrayList<>(recorder.failures());
            failures.addAll(servers.get(0).failures());
            assertThat(failures).anySatisfy(each -> assertThat(each).isInstanceOf(VerbsException.class)
                    .hasMessageContaining("ENOMEM"));
        }
    }

    private static ChannelFuture awaitEnd(ChannelFuture future) throws Exception {
        Deadline.standard().until("the end of " + future, future::isDone);
        return future;
    }

    /** Returns when neither end will post anything by itself. */
    private static RdmaChannel settle(ChannelPair pair, Channel client) throws Exception {
        Channel accepted = pair.accepted();
        while (accepted.remoteAddress() == null || !accepted.remoteAddress().equals(client.localAddress())) {
            accepted = pair.accepted();
        }
        Channel server = accepted;
        Deadline.standard().until("the server's end", server::isActive);
        ChannelPair.letWork(client.eventLoop());
        ChannelPair.letWork(server.eventLoop());
        return (RdmaChannel) server;
    }

    private static ByteBuf buffer(Channel channel, int length) {
        return length < 100 ? Unpooled.buffer(length).writeZero(length)
                : channel.alloc().directBuffer(length).writeZero(length);
    }
}
