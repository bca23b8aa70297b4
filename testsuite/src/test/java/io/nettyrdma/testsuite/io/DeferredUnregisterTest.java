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
import io.netty.channel.SingleThreadIoEventLoop;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** A cancelled handle keeps its memory until the device has completed all of its work. */
@Tag("device")
class DeferredUnregisterTest {

    private static final int ROUNDS = Rounds.scaled(1500);

    /** Cancels at either end, because this side or the peer closes, with messages in flight. */
    @Test
    void unregisterWaitsForOutstandingWork() throws Exception {
        Deviation.SIW_KEEPS_LATE_POSTS.assumeNotHere();
        Random random = Seeds.newRandom();
        try (TestLoops servers = new TestLoops(1, PollMode.ADAPTIVE);
             TestLoops clients = new TestLoops(1, PollMode.ADAPTIVE)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            IoEventLoop loop = clients.next();
            for (int round = 0; round < ROUNDS; round++) {
                AtomicInteger echoed = new AtomicInteger();
                TestConnection client = TestConnection.connect(loop, listener.address(),
                        number -> echoed.incrementAndGet());
                TestLoops.await(client.connected);
                int numbers = random.nextInt(2 * TestConnection.DEPTH);
                boolean byPeer = random.nextBoolean();
                int count = round;
                Deadline.standard().until("the other side", () -> listener.accepted.size() > count);
                TestConnection server = listener.accepted.get(round);
                TestLoops.await(server.connected);
                loop.execute(() -> {
                    for (int i = 0; i < numbers; i++) {
                        client.send(i);
                    }
                });
                if (byPeer) {
                    servers.next().execute(server::close);
                } else {
                    loop.execute(client::close);
                }
                assertThat(TestLoops.await(client.ended)).isZero();
                assertThat(TestLoops.await(server.ended)).isZero();
                assertThat(echoed.get()).isLessThanOrEqualTo(numbers);
            }
            TestConnection last = TestConnection.connect(loop, listener.address(), number -> { });
            TestLoops.await(last.connected);
            TestLoops.run(loop, () -> {
                assertThat(last.slotsInUse()).isEqualTo(TestConnection.DEPTH);
                assertThat(last.device().slotBytes()).isEqualTo(RdmaIoHandlerConfig.DEFAULT_SLAB_BYTES);
            });
        }
    }

    /** Checks the order step by step. */
    @Test
    void cancelTakesEffectWithTheLastCompletion() throws Exception {
        try (TestLoops servers = new TestLoops(1, PollMode.EVENT);
             TestLoops clients = new TestLoops(1, PollMode.EVENT)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            IoEventLoop loop = clients.next();
            TestConnection client = TestConnection.connect(loop, listener.address(), number -> { });
            TestLoops.await(client.connected);
            // Called from this thread; nothing has been flushed yet.
            assertThat(client.wrapper().cancel()).isTrue();
            assertThat(client.wrapper().cancel()).isFalse();
            assertThat(client.wrapper().isValid()).isFalse();
            for (int i = 0; i < 10; i++) {
                TestLoops.run(loop, () -> assertThat(client.outstandingWork()).isEqualTo(TestConnection.DEPTH));
            }
            assertThat(client.ended).isNotDone();
            CompletableFuture<Boolean> within = new CompletableFuture<>();
            loop.execute(() -> {
                client.flush();
                within.complete(client.ended.isDone());
            });
            assertThat(TestLoops.await(within)).isFalse();
            assertThat(TestLoops.await(client.ended)).isZero();
            assertThat(client.failures).hasValue(TestConnection.DEPTH);
        }
    }

    /** A loop without channels may be suspended, but not while a handle waits for its end. */
    @Test
    void loopIsNotSuspendedBeforeTheLastUnregister() throws Exception {
        try (TestLoops servers = new TestLoops(1, PollMode.EVENT);
             TestLoops clients = new TestLoops(1, PollMode.EVENT)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) clients.next();
            TestConnection client = TestConnection.connect(loop, listener.address(), number -> { });
            TestLoops.await(client.connected);
            AtomicReference<Thread> thread = new AtomicReference<>();
            TestLoops.run(loop, () -> {
                thread.set(Thread.currentThread());
                assertThat(client.wrapper().cancel()).isTrue();
                assertThat(loop.trySuspend()).isTrue();
                client.flush();
            });
            // Only its own work wakes the loop.
            assertThat(TestLoops.await(client.ended)).isZero();
            Deadline.standard().until("the thread's end", () -> !thread.get().isAlive());
            assertThat(loop.isSuspended()).isTrue();
            TestLoops.run(loop, () -> assertThat(loop.inEventLoop()).isTrue());
        }
    }
}
