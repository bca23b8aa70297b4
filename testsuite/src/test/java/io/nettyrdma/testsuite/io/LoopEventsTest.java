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
package io.nettyrdma.testsuite.io;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaMetrics;
import io.nettyrdma.testsuite.support.AnyPort;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.AsyncEvent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** How a loop handles events, and the active time that it reports. */
@Tag("device")
class LoopEventsTest {

    /** No handle would ever answer it. */
    @Test
    void requestWithoutListenerHandleIsRejected() throws Exception {
        try (TestLoops servers = new TestLoops(1, PollMode.EVENT);
             TestLoops clients = new TestLoops(1, PollMode.EVENT)) {
            IoEventLoop loop = servers.next();
            TestListener listener = TestListener.echo(loop, servers::next);
            listener.address();
            CompletableFuture<CmId> unattended = new CompletableFuture<>();
            TestLoops.run(loop, () -> unattended.complete(listen(listener)));
            CmId id = TestLoops.await(unattended);
            TestConnection client = TestConnection.connect(clients.next(), id.localAddress(), number -> { });
            assertThatThrownBy(() -> TestLoops.await(client.connected)).isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("REJECTED");
            assertThat(TestLoops.await(client.ended)).isZero();
            TestLoops.run(loop, () -> closeQuietly(id));
            TestConnection other = TestConnection.connect(clients.next(), listener.address(), number -> { });
            TestLoops.await(other.connected);
        }
    }

    private static CmId listen(TestListener listener) {
        try {
            return AnyPort.listen(listener.loop().cmEventChannel(), TestDevice.get().ip(), 1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void closeQuietly(CmId id) {
        try {
            id.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Otherwise an event of the id would come to it, and the loop would keep each connection that has ended. */
    @Test
    void eventsOfAClosedIdAreDropped() throws Exception {
        try (TestLoops loops = new TestLoops(1, PollMode.EVENT)) {
            IoEventLoop loop = loops.next();
            WeakReference<Object> closed = new WeakReference<>(closedIdOf(loop));
            Deadline.standard().until("the collection of an id", () -> {
                System.gc();
                return closed.get() == null;
            });
        }
    }

    /** The handle stays registered. */
    private static CmId closedIdOf(IoEventLoop loop) throws Exception {
        SilentHandle handle = new SilentHandle();
        handle.own = TestLoops.await(loop.register(handle));
        CompletableFuture<CmId> closed = new CompletableFuture<>();
        TestLoops.run(loop, () -> closed.complete(closeAttached(handle.own.attachment())));
        return TestLoops.await(closed);
    }

    private static CmId closeAttached(RdmaIoRegistration registration) {
        try {
            CmId id = CmId.create(registration.loop().cmEventChannel(), CmPortSpace.TCP);
            registration.loop().attach(id, registration);
            registration.loop().close(id);
            return id;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A device reports it on a descriptor that is neither the completion channel's nor the connection manager's. */
    @ParameterizedTest
    @EnumSource(PollMode.class)
    void asyncEventReachesItsHandle(PollMode mode) throws Exception {
        Deviation.RXE_REPORTS_NO_QUEUE_PAIR.assumeNotHere();
        Deviation.SIW_REPORTS_NO_UNKNOWN_KEY.assumeNotHere();
        try (TestLoops servers = new TestLoops(1, mode); TestLoops clients = new TestLoops(1, mode)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            TestConnection good = connected(clients, listener);
            TestConnection bad = connected(clients, listener);
            Deadline.standard().until("the other sides", () -> listener.accepted.size() == 2);
            TestConnection victim = listener.accepted.get(1);
            TestLoops.await(victim.connected);
            // On iWARP the connection ends with its queue pair, and a victim that left then would get no more events.
            victim.ignoreClose();
            clients.next().execute(bad::trespass);
            Deadline.standard().until("an event of the device", () -> !victim.asyncEvents.isEmpty());
            assertThat(victim.asyncEvents).extracting(AsyncEvent::source).containsOnly(victim.queuePair());
            assertThat(listener.accepted.get(0).asyncEvents).isEmpty();
            assertThat(good.asyncEvents).isEmpty();
            assertThat(RdmaMetrics.loops()).as("a loop with an event of a queue pair").anyMatch(loop ->
                    loop.counters().get(RdmaCounter.QUEUE_PAIR_EVENTS) > 0);
        }
    }

    private static TestConnection connected(TestLoops loops, TestListener listener) throws Exception {
        return TestLoops.await(TestConnection.connect(loops.next(), listener.address(), number -> { }).connected);
    }

    /** As with a shared receive queue, whose receives belong to no connection when they are posted. */
    @Test
    void completionsAreDispatchedByQueuePairNumber() throws Exception {
        try (TestLoops servers = new TestLoops(1, PollMode.ADAPTIVE);
             TestLoops clients = new TestLoops(1, PollMode.ADAPTIVE)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            List<TestConnection> connections = new ArrayList<>();
            List<Queue<Long>> echoes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Queue<Long> own = new ConcurrentLinkedQueue<>();
                echoes.add(own);
                connections.add(TestConnection.connectByQueuePair(clients.next(), listener.address(), own::add));
                TestLoops.await(connections.get(i).connected);
            }
            // As many as the other end has receives: on iWARP one more would end the connection.
            TestLoops.run(clients.next(), () -> {
                for (long number = 0; number < 3 * TestConnection.DEPTH; number++) {
                    connections.get((int) number % 3).send(number);
                }
            });
            for (int i = 0; i < 3; i++) {
                Queue<Long> own = echoes.get(i);
                Deadline.standard().until("echoes", () -> own.size() == TestConnection.DEPTH);
                int remainder = i;
                assertThat(List.copyOf(own)).isSorted().allMatch(number -> number % 3 == remainder);
            }
        }
    }

    @Test
    void connectToAnUnusedAddressFails() throws Exception {
        try (TestLoops loops = new TestLoops(1, PollMode.ADAPTIVE)) {
            InetSocketAddress unused = new InetSocketAddress(TestDevice.get().ip(), 1);
            TestConnection client = TestConnection.connect(loops.next(), unused, number -> { });
            assertThatThrownBy(() -> TestLoops.await(client.connected)).isInstanceOf(ExecutionException.class);
            assertThat(TestLoops.await(client.ended)).isZero();
        }
    }

    /**
     * BUSY arms nothing, so no descriptor wakes the loop; epoll's handler would report time for that. Only while others
     * compute on its processor it arms and sleeps: when all work has ended, a descriptor may still be readable, and the
     * timer of the last sleep may still run.
     */
    @Test
    void onlyTheTimeOfHandlesIsReportedAsActive() throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.BUSY);
        try (TestLoops peers = new TestLoops(1, PollMode.ADAPTIVE); HookedLoop hooked = new HookedLoop(config)) {
            TestListener listener = TestListener.echo(peers.next(), peers::next);
            int[] received = new int[1];
            TestConnection client = TestConnection.connect(hooked.loop(), listener.address(), number -> received[0]++);
            hooked.runUntil("a connection", client.connected::isDone);
            hooked.reportActiveTime();
            client.send(1);
            hooked.runUntil("an echo", () -> received[0] == 1);
            assertThat(hooked.takeActiveNanos()).as("with an echo").isPositive();
            hooked.runUntil("the end of the send", () -> client.outstandingWork() == TestConnection.DEPTH);
            Deadline.standard().until("rounds that report nothing", () -> activeNanosOfEmptyRounds(hooked) == 0);
        }
    }

    private static long activeNanosOfEmptyRounds(HookedLoop hooked) {
        hooked.takeActiveNanos();
        for (int i = 0; i < 100; i++) {
            hooked.loop().runNow();
        }
        return hooked.takeActiveNanos();
    }

    private static final class SilentHandle implements RdmaIoHandle {

        private volatile IoRegistration own;

        @Override
        public int outstandingWork() {
            return 0;
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            throw new AssertionError(event);
        }

        @Override
        public void close() {
            own.cancel();
        }
    }
}
