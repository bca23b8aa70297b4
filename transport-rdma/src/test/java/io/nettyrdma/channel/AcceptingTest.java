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
package io.nettyrdma.channel;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.metrics.RdmaCounter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** From a request to an active child. */
class AcceptingTest extends ChannelSetup {

    private final RdmaServerChannel server = new RdmaServerChannel(links);
    private final TestListener listener = links.listener;
    private final List<RdmaChannel> children = new ArrayList<>();
    private Throwable caught;
    /** Registers a child, as ServerBootstrap does. */
    private boolean registers = true;

    @BeforeEach
    void listens() {
        server.pipeline().addLast(new Acceptor());
        enter(loop, server);
        server.bind(TestLink.HERE);
        turn();
    }

    private final class Acceptor extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            RdmaChannel child = (RdmaChannel) message;
            children.add(child);
            if (registers) {
                register(child, children.size() == 1 ? recorder : new Recorder());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            caught = cause;
        }
    }

    private TestRequest ask() {
        TestRequest request = listener.ask();
        turn();
        return request;
    }

    private RdmaChannel child() {
        return children.get(0);
    }

    @Test
    void serverIsActiveWhileItListens() {
        assertThat(server.isActive()).isTrue();
        assertThat(server.localAddress()).isEqualTo(TestLink.HERE);
        server.close();
        turn();
        assertThat(server.isActive()).isFalse();
        assertThat(listener.isStopped).isTrue();
    }

    @Test
    void childIsActiveWhenItsPeerHasConfirmed() {
        TestRequest request = ask();
        assertThat(request.link.isOpening()).isTrue();
        assertThat(server.acceptingChildren()).isOne();
        assertThat(child().remoteAddress()).isEqualTo(TestLink.PEER);
        assertThat(recorder.events).isEmpty();
        request.link.open();
        turn();
        assertThat(server.acceptingChildren()).isZero();
        assertThat(recorder.events).containsExactly("active");
        request.link.receive("hello");
        assertThat(recorder.events).containsExactly("active", "read hello", "complete");
    }

    @Test
    void childThatIsNeverConfirmedIsNotAnnounced() {
        TestRequest request = ask();
        pass(child().config().getConnectTimeoutMillis());
        assertThat(child().loopCounters().get(RdmaCounter.CHILDREN_UNCONFIRMED)).isOne();
        assertChildWasNotAnnounced(request);
    }

    /** The loop has taken the child, so Netty has nothing to warn of. */
    private void assertChildWasNotAnnounced(TestRequest request) {
        assertThat(recorder.events).isEmpty();
        assertThat(registration.isSuccess()).isTrue();
        assertThat(child().isOpen()).isFalse();
        assertThat(child().closeFuture().isDone()).isTrue();
        assertThat(server.acceptingChildren()).isZero();
        assertThat(request.link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void confirmedChildHasNoLimit() {
        ask().link.open();
        pass(child().config().getConnectTimeoutMillis());
        assertThat(child().isActive()).isTrue();
        assertThat(child().loopCounters().get(RdmaCounter.CHILDREN_UNCONFIRMED)).isZero();
    }

    @Test
    void childWhosePeerLeavesIsNotAnnounced() {
        TestRequest request = ask();
        request.link.openFails(new ConnectException("has left"));
        turn();
        assertThat(child().loopCounters().get(RdmaCounter.CHILDREN_UNCONFIRMED)).isOne();
        assertChildWasNotAnnounced(request);
    }

    @Test
    void childThatIsClosedBeforeItsConnectionIsOpenIsNotAnnounced() {
        TestRequest request = ask();
        ChannelFuture closing = child().close();
        turn();
        assertThat(closing.isSuccess()).isTrue();
        assertChildWasNotAnnounced(request);
    }

    @Test
    void childWhoseLoopEndsIsNotAnnounced() {
        TestRequest request = ask();
        request.link.endLoop();
        turn();
        assertChildWasNotAnnounced(request);
    }

    @Test
    void childThatLacksResourcesIsNotAnnounced() {
        TestRequest request = ask();
        request.link.openFails(new IOException("no memory"));
        turn();
        assertThat(child().loopCounters().get(RdmaCounter.CHILDREN_REFUSED)).isOne();
        assertThat(child().loopCounters().get(RdmaCounter.CHILDREN_UNCONFIRMED)).isZero();
        assertChildWasNotAnnounced(request);
    }

    @Test
    void childThatIsBeingAcceptedStaysOnItsLoop() {
        TestRequest request = ask();
        enter(anotherLoop(), child());
        assertThat(registration.cause()).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is being accepted");
        ChannelFuture leaving = child().deregister();
        turn();
        assertThat(leaving.cause()).isInstanceOf(UnsupportedOperationException.class);
        request.link.open();
        turn();
        assertThat(recorder.events).containsExactly("active");
    }

    @Test
    void requestsBeyondTheLimitOfChildrenWait() {
        server.config().setMaxAccepting(1);
        TestRequest first = ask();
        ask();
        assertThat(children).hasSize(1);
        assertThat(server.waitingRequests()).isOne();
        assertThat(server.loopCounters().get(RdmaCounter.REQUESTS_HELD_BACK)).isPositive();
        first.link.open();
        turn();
        assertThat(children).hasSize(2);
        assertThat(server.acceptingChildren()).isOne();
    }

    @Test
    void abandonedRequestBecomesNoChild() {
        server.config().setMaxAccepting(1);
        TestRequest first = ask();
        ask().isAbandoned = true;
        first.link.open();
        turn();
        assertThat(children).hasSize(1);
        assertThat(server.waitingRequests()).isZero();
    }

    @Test
    void requestsWaitForARead() {
        server.config().setAutoRead(false);
        ask();
        ask();
        assertThat(children).isEmpty();
        server.read();
        turn();
        assertThat(children).hasSize(1);
        server.read();
        turn();
        assertThat(children).hasSize(2);
    }

    @Test
    void closedServerRefusesRequestsThatWait() {
        server.config().setMaxAccepting(1);
        ask();
        TestRequest waiting = ask();
        server.close();
        turn();
        assertThat(waiting.refusal).isNotNull();
        assertThat(child().isOpen()).isTrue();
    }

    @Test
    void childThatIsNotRegisteredIsRefused() {
        registers = false;
        TestRequest request = ask();
        assertThat(server.acceptingChildren()).isOne();
        child().unsafe().closeForcibly();
        assertThat(request.refusal).isNotNull();
        assertThat(server.acceptingChildren()).isZero();
    }

    /** Runs the action when the child's pipeline is notified of its registration, as an initializer does. */
    private void whenRegistered(Runnable action) {
        child().pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                action.run();
                context.fireChannelRegistered();
            }
        });
    }

    /** Its peer is connected, and has to see an end of the stream. */
    @Test
    void childThatIsClosedWhenItIsRegisteredIsActiveForAMoment() {
        TestRequest request = ask();
        ChannelPromise written = promise(child());
        whenRegistered(() -> {
            child().writeAndFlush(buffer("early"), written);
            child().close();
        });
        request.link.open();
        turn();
        assertThat(recorder.events).containsExactly("active", "inactive");
        assertThat(server.acceptingChildren()).isZero();
        assertThat(request.link.sent).containsExactly("early", TestLink.FIN);
        request.link.acknowledge();
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void childThatIsAbortedWhenItIsRegisteredResetsItsPeer() {
        TestRequest request = ask();
        whenRegistered(() -> {
            child().config().setSoLinger(0);
            child().close();
        });
        request.link.open();
        turn();
        assertThat(recorder.events).containsExactly("active", "inactive");
        assertThat(request.link.isAborted).isTrue();
    }

    @Test
    void childMayWriteBeforeItIsActive() {
        TestRequest request = ask();
        ChannelPromise written = promise(child());
        whenRegistered(() -> {
            child().writeAndFlush(buffer("early"), written);
            assertThat(request.link.sent).isEmpty();
        });
        request.link.open();
        turn();
        assertThat(request.link.sent).containsExactly("early");
        request.link.acknowledge();
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void removedDeviceClosesTheServer() {
        listener.events().deviceRemoved();
        turn();
        assertThat(caught).hasMessageContaining("was removed");
        assertThat(server.isOpen()).isFalse();
    }

    @Test
    void requestsWaitWhileTheServerMoves() {
        server.deregister();
        turn();
        TestRequest request = listener.ask();
        turn();
        assertThat(children).isEmpty();
        enter(loop, server);
        assertThat(children).hasSize(1);
        assertThat(request.link.isOpening()).isTrue();
    }
}
