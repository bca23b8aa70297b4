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
package io.nettyrdma.testsuite.soak;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One loop of each mode. Clients and servers in the same process share it. */
final class Loops {

    private static final int END_SECONDS = 10;

    private final List<EventLoopGroup> groups = new ArrayList<>();

    Loops(Set<PollMode> modes) {
        for (PollMode mode : modes) {
            groups.add(new MultiThreadIoEventLoopGroup(1,
                    RdmaIoHandler.newFactory(RdmaIoHandlerConfig.DEFAULT.withMode(mode))));
        }
    }

    List<EventLoopGroup> groups() {
        return groups;
    }

    void end(Verdict verdict) throws InterruptedException {
        long millis = Deadline.scaledMillis(END_SECONDS * 1000);
        for (EventLoopGroup group : groups) {
            if (!group.shutdownGracefully(0, millis, TimeUnit.MILLISECONDS).await(2 * millis)) {
                verdict.failed("a loop does not end");
            }
        }
    }
}
