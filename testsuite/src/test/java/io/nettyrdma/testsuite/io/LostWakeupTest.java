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
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Rounds;
import io.nettyrdma.testsuite.support.Seeds;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** Any event wakes a loop that is about to sleep: at each of its steps, and at random moments, thousands of times. */
@Tag("device")
class LostWakeupTest {

    private static final int ROUNDS = Rounds.scaled(3000);
    /** Longer than a loop takes to fall asleep. */
    private static final int MAX_PAUSE_NANOS = 200_000;

    @Test
    void messageIsFoundAtEveryStepOfARound() throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT);
        AtomicInteger received = new AtomicInteger();
        try (TestLoops peers = new TestLoops(1, config); HookedLoop hooked = new HookedLoop(config)) {
            IoEventLoop peer = peers.next();
            TestListener listener = TestListener.echo(peer, () -> peer);
            TestConnection client = connect(hooked, listener, received);
            int expected = received.get();
            for (int round = 0; round < ROUNDS; round++) {
                int question = 1 + round % HookedLoop.QUESTIONS;
                hooked.atQuestion(question, () -> uncheckedRun(peer, () -> listener.accepted.get(0).send(0)));
                expected++;
                while (received.get() < expected) {
                    hooked.runOnce();
                }
                assertThat(hooked.hasHappened()).isTrue();
                assertThat(received).hasValue(expected);
            }
            assertThat(client.failures).hasValue(0);
        }
    }

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void taskRunsAtEveryStepOfARound(PollMode mode) throws Exception {
        everyStep(mode, (hooked, other) -> {
            CompletableFuture<Void> ran = new CompletableFuture<>();
            return new Step(() -> hooked.loop().execute(() -> ran.complete(null)), ran::isDone);
        });
    }

    /** As Netty does to wake a manual loop for a shutdown. */
    @ParameterizedTest
    @EnumSource(PollMode.class)
    void wakeupWithoutATaskEndsTheRound(PollMode mode) throws Exception {
        everyStep(mode, (hooked, other) -> new Step(() -> hooked.loop().wakeup(), hooked::hasHappened));
    }

    private record Step(Runnable happening, Deadline.Condition seen) {
    }

    private interface Steps {
        Step next(HookedLoop hooked, ExecutorService other);
    }

    private static void everyStep(PollMode mode, Steps steps) throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(mode);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try (TestLoops peers = new TestLoops(1, PollMode.EVENT); HookedLoop hooked = new HookedLoop(config)) {
            TestListener listener = TestListener.echo(peers.next(), peers::next);
            connect(hooked, listener, new AtomicInteger());
            for (int round = 0; round < ROUNDS; round++) {
                Step step = steps.next(hooked, other);
                hooked.atQuestion(1 + round % HookedLoop.questions(mode), () -> {
                    try {
                        TestLoops.await(other.submit(step.happening()));
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    }
                });
                while (!step.seen().holds()) {
                    hooked.runOnce();
                }
            }
        } finally {
            other.shutdownNow();
        }
    }

    /** On iWARP only the client may send first. */
    private static TestConnection connect(HookedLoop hooked, TestListener listener, AtomicInteger received)
            throws Exception {
        TestConnection client = TestConnection.connect(hooked.loop(), listener.address(),
                number -> received.incrementAndGet());
        hooked.runUntil("a connection", client.connected::isDone);
        TestLoops.await(client.connected);
        client.send(0);
        hooked.runUntil("an echo", () -> received.get() == 1);
        return client;
    }

    private static void uncheckedRun(IoEventLoop loop, Runnable task) {
        try {
            TestLoops.run(loop, task);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void tasksOfAnotherThreadRunAtRandomTimes(PollMode mode) throws Exception {
        Random random = Seeds.newRandom();
        try (TestLoops loops = new TestLoops(2, mode)) {
            IoEventLoop loop = loops.next();
            TestListener listener = TestListener.echo(loops.next(), loops::next);
            TestLoops.await(TestConnection.connect(loop, listener.address(), number -> { }).connected);
            AtomicInteger ran = new AtomicInteger();
            for (int round = 1; round <= ROUNDS; round++) {
                pause(random);
                loop.execute(ran::incrementAndGet);
                int expected = round;
                Deadline.standard().until("task " + round, () -> ran.get() == expected);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(PollMode.class)
    void messagesAreFoundAtRandomTimes(PollMode mode) throws Exception {
        AtomicLong answered = new AtomicLong();
        CompletableFuture<Void> done = new CompletableFuture<>();
        Random random = Seeds.newRandom();
        try (TestLoops servers = new TestLoops(1, mode); TestLoops clients = new TestLoops(1, mode)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            TestConnection[] client = new TestConnection[1];
            client[0] = TestConnection.connect(clients.next(), listener.address(), number -> {
                answered.set(number);
                if (number == ROUNDS) {
                    done.complete(null);
                } else {
                    pause(random);
                    client[0].send(number + 1);
                }
            });
            TestLoops.await(client[0].connected);
            clients.next().execute(() -> client[0].send(1));
            TestLoops.await(done, Deadline.ofSeconds(60));
            assertThat(answered).hasValue(ROUNDS);
        }
    }

    /** Spins instead of sleeping: a sleep would be too long, and would always start after everything is over. */
    private static void pause(Random random) {
        long end = System.nanoTime() + random.nextInt(MAX_PAUSE_NANOS);
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }
}
