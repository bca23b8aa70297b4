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

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.ManualIoEventLoop;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CancellationException;

import static org.assertj.core.api.Assertions.assertThat;

/** From a connect to an active channel, or to a closed one. */
class OpeningTest extends ChannelSetup {

    private static final int LIMIT = 700;

    @Test
    void connectSucceedsWhenTheLinkIsOpen() {
        TestLink link = register();
        ChannelPromise connect = connect();
        assertThat(connect.isDone()).isFalse();
        assertThat(channel.isActive()).isFalse();
        assertThat(channel.remoteAddress()).isNull();
        link.open();
        assertThat(connect.isSuccess()).isTrue();
        assertThat(channel.isActive()).isTrue();
        assertThat(channel.remoteAddress()).isEqualTo(TestLink.PEER);
        assertThat(channel.localAddress()).isEqualTo(TestLink.HERE);
        assertThat(recorder.events).containsExactly("active");
    }

    @Test
    void openChannelChecksThatItsPeerIsAlive() {
        assertThat(open().keepalive).isEqualTo(channel.config().keepAliveMillis()).isPositive();
    }

    @Test
    void addressesOutliveTheLink() {
        open();
        close();
        assertThat(channel.remoteAddress()).isEqualTo(TestLink.PEER);
        assertThat(channel.localAddress()).isEqualTo(TestLink.HERE);
    }

    @Test
    void refusedConnectFailsAndClosesTheChannel() {
        TestLink link = register();
        ChannelPromise connect = connect();
        link.openFails(new ConnectException("Connection refused"));
        turn();
        assertThat(connect.cause()).isInstanceOf(ConnectException.class)
                .hasMessageContaining("Connection refused").hasMessageContaining(TestLink.PEER.toString());
        assertThat(channel.isOpen()).isFalse();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void addressInTheMessageOfAFailureIsNotRepeated() {
        TestLink link = register();
        ChannelPromise connect = connect();
        ConnectException refused = new ConnectException("Connection refused: " + TestLink.PEER);
        link.openFails(refused);
        assertThat(connect.cause()).isSameAs(refused);
    }

    @Test
    void failedFirstStepFailsTheConnect() {
        TestLink link = register();
        link.connectFailure = new IOException("no route");
        ChannelPromise connect = connect();
        assertThat(connect.cause()).hasMessageContaining("no route");
        assertThat(channel.isOpen()).isFalse();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
    }

    @Test
    void connectTimesOutAfterItsLimit() {
        register();
        channel.config().setConnectTimeoutMillis(LIMIT);
        ChannelPromise connect = connect();
        pass(LIMIT - 1);
        assertThat(connect.isDone()).isFalse();
        pass(1);
        assertThat(connect.cause()).isInstanceOf(ConnectTimeoutException.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void connectWithoutLimitWaits() {
        TestLink link = register();
        channel.config().setConnectTimeoutMillis(0);
        ChannelPromise connect = connect();
        pass(Integer.MAX_VALUE);
        assertThat(connect.isDone()).isFalse();
        link.open();
        assertThat(connect.isSuccess()).isTrue();
    }

    @Test
    void limitOfAnOpenChannelIsOver() {
        open();
        pass(channel.config().getConnectTimeoutMillis());
        assertThat(channel.isActive()).isTrue();
    }

    @Test
    void cancelledConnectClosesTheChannel() {
        TestLink link = register();
        ChannelPromise connect = connect();
        connect.cancel(false);
        turn();
        assertThat(channel.isOpen()).isFalse();
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
        assertThat(recorder.events).isEmpty();
    }

    /** The loop has not seen the cancellation by another thread when the connection is open. */
    @Test
    void connectCancelledAsTheLinkOpensLeavesNoConnection() throws InterruptedException {
        TestLink link = register();
        ChannelPromise connect = connect();
        Thread other = new Thread(() -> connect.cancel(false));
        other.start();
        other.join();
        link.open();
        assertThat(channel.isOpen()).isFalse();
        turn();
        assertThat(connect.cause()).isInstanceOf(CancellationException.class);
        assertThat(recorder.events).containsExactly("active", "inactive");
        assertThat(link.sent).containsExactly(TestLink.FIN);
    }

    @Test
    void closeFailsTheConnectThatWaits() {
        TestLink link = register();
        ChannelPromise connect = connect();
        close();
        assertThat(connect.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(link.state).isEqualTo(TestLink.State.DEPARTED);
        assertThat(recorder.events).isEmpty();
    }

    @Test
    void timeoutAfterACloseChangesNothing() {
        register();
        ChannelPromise connect = connect();
        close();
        pass(channel.config().getConnectTimeoutMillis());
        assertThat(connect.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void secondConnectFailsAndTheFirstContinues() {
        TestLink link = register();
        ChannelPromise first = connect();
        assertThat(connect().cause()).isInstanceOf(ConnectionPendingException.class);
        link.open();
        assertThat(first.isSuccess()).isTrue();
        assertThat(connect().cause()).isInstanceOf(AlreadyConnectedException.class);
        assertThat(channel.isActive()).isTrue();
    }

    @Test
    void connectToAnUnresolvedAddressLeavesTheChannelAsItIs() {
        TestLink link = register();
        ChannelPromise connect = promise(channel);
        channel.connect(InetSocketAddress.createUnresolved("nowhere", 1), connect);
        turn();
        assertThat(connect.cause()).isInstanceOf(UnresolvedAddressException.class);
        assertThat(channel.isOpen()).isTrue();
        ChannelPromise second = connect();
        link.open();
        assertThat(second.isSuccess()).isTrue();
    }

    @Test
    void writesBeforeTheConnectionAreSentWhenItIsOpen() {
        TestLink link = register();
        ChannelPromise connect = connect();
        ChannelPromise written = send("early");
        assertThat(link.sent).isEmpty();
        link.open();
        assertThat(link.sent).containsExactly("early");
        link.acknowledge();
        assertThat(connect.isSuccess()).isTrue();
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void refusedConnectFailsWritesThatWait() {
        TestLink link = register();
        connect();
        ChannelPromise written = send("early");
        link.openFails(new ConnectException("Connection refused"));
        assertThat(written.cause()).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void boundAddressMovesToTheLoopThatConnects() {
        TestLink first = register();
        channel.bind(TestLink.HERE);
        channel.deregister();
        turn();
        assertThat(first.isCancelled).isTrue();
        ManualIoEventLoop another = anotherLoop();
        enter(another, channel);
        TestLink second = links.last();
        assertThat(second).isNotSameAs(first);
        assertThat(first.bound.link).isSameAs(second);
        connect();
        second.open();
        assertThat(channel.isActive()).isTrue();
        assertThat(channel.eventLoop()).isSameAs(another);
        close();
    }

    @Test
    void boundAddressIsGivenBackWithoutAConnect() {
        TestLink link = register();
        channel.bind(TestLink.HERE);
        close();
        assertThat(link.bound.closes).isOne();
    }

    @Test
    void connectedChannelStaysOnItsLoop() {
        TestLink link = open();
        assertThat(channel.deregister().cause()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(link.isCancelled).isFalse();
        assertThat(channel.isActive()).isTrue();
    }

    @Test
    void spinTimeOfTheOptionsReachesTheLink() {
        channel.config().setOption(RdmaChannelOption.SPIN_MICROS, 7);
        TestLink link = register();
        assertThat(link.spin).isEqualTo(7_000);
        channel.config().setOption(RdmaChannelOption.SPIN_MICROS, 8);
        assertThat(link.spin).isEqualTo(8_000);
    }
}
