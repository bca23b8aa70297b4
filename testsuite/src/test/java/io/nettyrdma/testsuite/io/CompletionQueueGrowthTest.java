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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** Many queue pairs on a loop whose first completion queue has room for only a few. */
@Tag("device")
class CompletionQueueGrowthTest {

    private static final int CONNECTIONS = Rounds.areMany() ? 100 : 20;
    private static final int FIRST_QUEUE = 64;
    private static final int NUMBERS = 20;
    /** Messages in flight on each connection: as many as the other side has receives. */
    private static final int WINDOW = TestConnection.DEPTH;

    @Test
    void queuesAreAddedAndUsedAgain() throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)
                .withCompletionQueue(FIRST_QUEUE, 16);
        try (TestLoops servers = new TestLoops(1, config); TestLoops clients = new TestLoops(1, config)) {
            IoEventLoop loop = clients.next();
            TestListener listener = TestListener.echo(servers.next(), servers::next);
            int queues = echo(loop, listener, config);
            System.out.println(CONNECTIONS + " queue pairs took " + queues + " completion queues");
            assertThat(queues).isBetween(2, 10);
            assertThat(echo(loop, listener, config)).isEqualTo(queues);
        }
    }

    /** Returns the number of completion queues once all connections are open and have worked. */
    private static int echo(IoEventLoop loop, TestListener listener, RdmaIoHandlerConfig config) throws Exception {
        AtomicInteger echoed = new AtomicInteger();
        List<TestConnection> connections = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            TestConnection[] own = new TestConnection[1];
            own[0] = TestConnection.connect(loop, listener.address(), number -> {
                echoed.incrementAndGet();
                if (number + WINDOW < NUMBERS) {
                    own[0].send(number + WINDOW);
                }
            });
            connections.add(TestLoops.await(own[0].connected));
        }
        loop.execute(() -> connections.forEach(each -> {
            for (int i = 0; i < WINDOW; i++) {
                each.send(i);
            }
        }));
        Deadline.ofSeconds(30).until("all echoes", () -> echoed.get() == CONNECTIONS * NUMBERS);
        int[] queues = new int[1];
        TestLoops.run(loop, () -> {
            queues[0] = connections.get(0).device().completionQueues();
            connections.forEach(TestConnection::close);
        });
        for (TestConnection each : connections) {
            assertThat(TestLoops.await(each.ended)).isZero();
            assertThat(each.asyncEvents).isEmpty();
        }
        return queues[0];
    }
}
