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

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.testsuite.support.Deadline;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** The steps that loops run one at a time. */
@Tag("device")
class ControlPathTest {

    @Test
    void aStepThatThrowsAnErrorDoesNotEndTheLoop() throws Exception {
        IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            IoRegistration registered = group.next().register(TestConnection.idle()).sync().getNow();
            RdmaIoRegistration registration = registered.attachment();
            CountDownLatch next = new CountDownLatch(1);
            group.next().submit(() -> {
                registration.loop().enqueueStep(() -> {
                    throw new LinkageError("for this test");
                });
                registration.loop().enqueueStep(next::countDown);
            }).sync();
            assertThat(next.await(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS)).isTrue();
            // A loop that ends runs its steps, too.
            assertThat(group.next().isShuttingDown()).isFalse();
            group.next().submit(registered::cancel).sync();
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }
}
