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
import org.openjdk.jcstress.infra.results.Z_Result;

/** A wakeup at any step of a round of the loop: the loop does not sleep, or an event wakes it. */
@JCStressTest
@Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "the loop is awake, or wakes")
@Outcome(id = "true", expect = Expect.FORBIDDEN, desc = "the loop sleeps over the wakeup")
@State
public class WakeupStress {

    private final TestEpoll epoll = new TestEpoll();
    private final RdmaIoHandler handler = new RdmaIoHandler(OtherThreads.INSTANCE, RdmaIoHandlerConfig.DEFAULT, epoll,
            () -> 0);

    @Actor
    public void loop() {
        handler.run(TestContext.IDLE);
    }

    @Actor
    public void waker() {
        handler.wakeup();
    }

    @Arbiter
    public void rest(Z_Result result) {
        result.r1 = epoll.sleepsOn();
    }
}
