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
package io.nettyrdma.testsuite.channel;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/** Write promises that detect a second completion. */
final class Promises {

    private final Queue<Counted> all = new ConcurrentLinkedQueue<>();

    ChannelPromise next(Channel channel) {
        Counted promise = new Counted(channel);
        all.add(promise);
        return promise;
    }

    void assertEachEndsOnce(Deadline deadline) throws Exception {
        for (Counted each : all) {
            deadline.until("the end of " + each, each::isDone);
            assertThat(each.ends.get()).as("how often %s has ended", each).isEqualTo(1);
        }
    }

    /** Counts the attempts to complete it, successful or not. */
    private static final class Counted extends DefaultChannelPromise {

        private final AtomicInteger ends = new AtomicInteger();

        Counted(Channel channel) {
            super(channel);
        }

        @Override
        public ChannelPromise setSuccess(Void result) {
            ends.incrementAndGet();
            return super.setSuccess(result);
        }

        @Override
        public boolean trySuccess(Void result) {
            ends.incrementAndGet();
            return super.trySuccess(result);
        }

        @Override
        public ChannelPromise setFailure(Throwable cause) {
            ends.incrementAndGet();
            return super.setFailure(cause);
        }

        @Override
        public boolean tryFailure(Throwable cause) {
            ends.incrementAndGet();
            return super.tryFailure(cause);
        }
    }
}
