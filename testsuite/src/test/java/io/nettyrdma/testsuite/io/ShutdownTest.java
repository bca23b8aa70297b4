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

import io.netty.channel.IoEventLoop;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Cycles;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.ProcessResources;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Loops end with open connections and messages in flight. */
@Tag("device")
class ShutdownTest {

    @Test
    void loopsWithOpenConnectionsReleaseEverything() throws Exception {
        Deviation.SIW_KEEPS_LATE_POSTS.assumeNotHere();
        assumeTrue(Rounds.areMany(), "a thousand loops take minutes here");
        Cycles.assertLeaveNothingBehind("loops with open connections", () -> {
            endWithOpenConnections(PollMode.EVENT, 1);
            return null;
        });
    }

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void handlesAreUnregisteredWithoutOutstandingWork(PollMode mode) throws Exception {
        Deviation.SIW_KEEPS_LATE_POSTS.assumeNotHere();
        endWithOpenConnections(mode, 1);
        ProcessResources before = ProcessResources.now(TestDevice.get().device());
        for (int i = 0; i < Rounds.scaled(30); i++) {
            endWithOpenConnections(mode, 5);
        }
        ProcessResources.awaitNoMoreThan(before);
    }

    private static void endWithOpenConnections(PollMode mode, int count) throws Exception {
        List<TestConnection> all = new ArrayList<>();
        TestListener listener;
        try (TestLoops loops = new TestLoops(2, mode)) {
            listener = TestListener.echo(loops.next(), loops::next);
            for (int i = 0; i < count; i++) {
                TestConnection[] own = new TestConnection[1];
                CompletableFuture<Long> echoed = new CompletableFuture<>();
                IoEventLoop loop = loops.next();
                own[0] = TestConnection.connect(loop, listener.address(), number -> {
                    echoed.complete(number);
                    own[0].send(number + 1);
                });
                all.add(TestLoops.await(own[0].connected));
                loop.execute(() -> own[0].send(0));
                TestLoops.await(echoed);
            }
        }
        all.addAll(listener.accepted);
        assertThat(all).hasSize(2 * count);
        for (TestConnection each : all) {
            assertThat(each.ended).isCompletedWithValue(0);
        }
        assertThat(listener.ended).isCompleted();
    }

    /** A handle that ignores the request to close is flushed at the end of the loop. */
    @Test
    void handleThatIgnoresCloseIsUnregistered() throws Exception {
        TestConnection stubborn;
        try (TestLoops loops = new TestLoops(2, PollMode.ADAPTIVE)) {
            TestListener listener = TestListener.echo(loops.next(), loops::next);
            stubborn = TestConnection.connect(loops.next(), listener.address(), number -> { });
            stubborn.ignoreClose();
            TestLoops.await(stubborn.connected);
        }
        assertThat(stubborn.ended).isCompletedWithValue(0);
        assertThat(stubborn.failures).hasValue(TestConnection.DEPTH);
    }

    /** Netty does nothing to end it then. */
    @ParameterizedTest
    @EnumSource(PollMode.class)
    void loopShutDownByATaskClosesItsHandles(PollMode mode) throws Exception {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        TestConnection client;
        TestListener listener;
        try (TestLoops loops = new TestLoops(1, mode)) {
            listener = TestListener.echo(loops.next(), loops::next);
            listener.onClose(() -> closed.complete(null));
            client = TestConnection.connect(loops.next(), listener.address(), number -> { });
            TestLoops.await(client.connected);
            TestLoops.run(loops.next(), loops::beginToEnd);
        }
        assertThat(closed).isCompleted();
        assertThat(client.ended).isCompletedWithValue(0);
        assertThat(listener.accepted.get(0).ended).isCompletedWithValue(0);
        assertThat(listener.ended).isCompleted();
    }

    @Test
    void manualLoopEnds() throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT);
        TestConnection client;
        TestListener listener;
        try (HookedLoop hooked = new HookedLoop(config)) {
            listener = TestListener.echo(hooked.loop(), hooked::loop);
            client = TestConnection.connect(hooked.loop(), listener.address(), number -> { });
            hooked.runUntil("a connection", client.connected::isDone);
        }
        assertThat(client.ended).isCompletedWithValue(0);
        assertThat(listener.accepted.get(0).ended).isCompletedWithValue(0);
        assertThat(listener.ended).isCompleted();
    }

    @Test
    void endingLoopRefusesNewHandles() throws Exception {
        CompletableFuture<Throwable> refusal = new CompletableFuture<>();
        TestLoops loops = new TestLoops(1, PollMode.ADAPTIVE);
        TestListener listener = TestListener.echo(loops.next(), loops::next);
        listener.address();
        listener.onClose(() -> loops.next().register(TestConnection.idle())
                .addListener(future -> refusal.complete(future.cause())));
        loops.close();
        assertThat(TestLoops.await(refusal)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("takes no more handles");
    }

    @Test
    void unusedLoopEnds() throws Exception {
        try (TestLoops loops = new TestLoops(1, PollMode.BUSY)) {
            assertThat(loops.group().isShuttingDown()).isFalse();
        }
        TestLoops gone = new TestLoops(1, PollMode.BUSY);
        gone.close();
        assertThatThrownBy(() -> gone.next().register(TestConnection.idle()).get(1, TimeUnit.SECONDS))
                .isInstanceOf(Exception.class).isNotInstanceOf(ExecutionException.class);
    }
}
