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

import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import static org.assertj.core.api.Assertions.assertThat;

/** A loop with an idle open connection makes no rounds, unless its poll mode asks for them. */
@Tag("device")
class IdleLoopTest {

    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = PERIOD_NANOS / 10;
    /** Netty wakes a loop that has no timer once a second, here at most twice. Each time it spins for a moment. */
    private static final int NETTYS_ROUNDS = 50;
    private static final int MANY_ROUNDS = 1000;
    private static final double SECONDS = 60;

    private final AtomicLong rounds = new AtomicLong();

    /** After the end of the echo: the completion of its send, and the event of a queue that was polled already. */
    @ParameterizedTest
    @EnumSource(value = PollMode.class, names = { "ADAPTIVE", "EVENT" })
    void anIdleLoopSleeps(PollMode mode) throws Exception {
        try (TestLoops servers = new TestLoops(1, mode); TestLoops clients = new TestLoops(1, counted(mode))) {
            echo(servers, clients);
            Deadline.standard().until("no round for a while", () -> roundsIn(PAUSE_NANOS) == 0);
            assertThat(roundsIn(PERIOD_NANOS)).isLessThanOrEqualTo(NETTYS_ROUNDS);
            // The loop is still alive.
            echo(servers, clients);
        }
    }

    private long roundsIn(long nanos) {
        long before = rounds.get();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < nanos) {
            LockSupport.parkNanos(nanos / 10);
        }
        return rounds.get() - before;
    }

    @Test
    void busyLoopNeverSleeps() throws Exception {
        try (TestLoops servers = new TestLoops(1, PollMode.EVENT);
             TestLoops clients = new TestLoops(1, counted(PollMode.BUSY))) {
            echo(servers, clients);
            long before = rounds.get();
            // With each round it offers its processor to other threads, which may keep it for a while.
            Deadline.ofSeconds(SECONDS).until("rounds", () -> rounds.get() - before >= MANY_ROUNDS);
        }
    }

    private static void echo(TestLoops servers, TestLoops clients) throws Exception {
        TestListener listener = TestListener.echo(servers.next(), servers::next);
        CompletableFuture<Long> echoed = new CompletableFuture<>();
        TestConnection client = TestConnection.connect(clients.next(), listener.address(), echoed::complete);
        TestLoops.await(client.connected);
        clients.next().execute(() -> client.send(1));
        TestLoops.await(echoed);
    }

    private IoHandlerFactory counted(PollMode mode) {
        IoHandlerFactory factory = RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode));
        return executor -> new Counted(factory.newHandler(executor));
    }

    private final class Counted extends ForwardingHandler {

        Counted(IoHandler tested) {
            super(tested);
        }

        @Override
        public int run(IoHandlerContext context) {
            rounds.incrementAndGet();
            return super.run(context);
        }
    }
}
