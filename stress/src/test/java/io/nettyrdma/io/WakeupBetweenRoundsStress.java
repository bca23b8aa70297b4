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
package io.nettyrdma.io;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/**
 * A thread makes two changes and wakes the loop after each; the second wakeup may find the flag of the first. The loop
 * ends a round, which clears the flag, looks for changes, as Netty looks for a shutdown, and sleeps in the next round.
 * It must not sleep over a change that it has not seen.
 */
@JCStressTest
@Outcome(id = "2, (true|false)", expect = Expect.ACCEPTABLE, desc = "the loop saw all changes")
@Outcome(id = "[01], false", expect = Expect.ACCEPTABLE, desc = "the loop is awake, or wakes, and looks again")
@Outcome(expect = Expect.FORBIDDEN, desc = "the loop sleeps over a change")
@State
public class WakeupBetweenRoundsStress {

    private final TestEpoll epoll = new TestEpoll();
    private final RdmaIoHandler handler = new RdmaIoHandler(OtherThreads.INSTANCE, RdmaIoHandlerConfig.DEFAULT, epoll,
            () -> 0);
    private volatile int changes;
    private int seen;

    @Actor
    public void loop() {
        handler.run(TestContext.WITH_TASKS);
        seen = changes;
        handler.run(TestContext.IDLE);
    }

    @Actor
    public void waker() {
        changes = 1;
        handler.wakeup();
        changes = 2;
        handler.wakeup();
    }

    @Arbiter
    public void rest(IZ_Result result) {
        result.r1 = seen;
        result.r2 = epoll.sleepsOn();
    }
}
