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

import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.Fallbacks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Loops on a device without completion channels: nothing wakes them when a completion comes. */
@Tag("device")
class PolledQueueTest {

    /** Longer than any loop spins. */
    private static final int PAUSE_MILLIS = 20;
    private static final int ROUNDS = 20;
    private static final int MANY = 1_000;

    private final String before = System.getProperty(Fallbacks.COMPLETION_EVENTS.property());

    @BeforeEach
    void withoutChannels() {
        assumeTrue(TestDevice.get().capabilities().reliableConnection(), "no reliable connections (RC)");
        System.setProperty(Fallbacks.COMPLETION_EVENTS.property(), "false");
    }

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(Fallbacks.COMPLETION_EVENTS.property());
        } else {
            System.setProperty(Fallbacks.COMPLETION_EVENTS.property(), before);
        }
    }

    /** It is not woken, and finds what comes nevertheless: it goes round again and again, although it sleeps. */
    @ParameterizedTest
    @EnumSource(value = PollMode.class, names = { "ADAPTIVE", "EVENT" })
    void idleLoopPollsWithoutCompletionChannel(PollMode mode) throws Exception {
        AtomicLong rounds = new AtomicLong();
        IoHandlerFactory tested = RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode));
        IoHandlerFactory counted = executor -> new ForwardingHandler(tested.newHandler(executor)) {
            @Override
            public int run(IoHandlerContext context) {
                rounds.incrementAndGet();
                return super.run(context);
            }
        };
        try (TestLoops servers = new TestLoops(1, mode); TestLoops clients = new TestLoops(1, counted)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            TestLoops.await(TestConnection.connect(clients.next(), listener.address(), ignored -> { }).connected);
            long before = rounds.get();
            // A loop that is never woken goes round about once a second.
            Deadline.standard().until("many rounds", () -> rounds.get() - before > MANY);
        }
    }

    /** The pauses let both loops fall asleep, if they can. A busy one cannot. */
    @ParameterizedTest
    @EnumSource
    void everyMessageIsAnswered(PollMode mode) throws Exception {
        try (TestLoops servers = new TestLoops(1, mode); TestLoops clients = new TestLoops(1, mode)) {
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            for (int i = 0; i < ROUNDS; i++) {
                CompletableFuture<Long> echoed = new CompletableFuture<>();
                TestConnection client = TestConnection.connect(clients.next(), listener.address(), echoed::complete);
                TestLoops.await(client.connected);
                clients.next().schedule(() -> client.send(1), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
                TestLoops.await(echoed);
            }
        }
    }
}
