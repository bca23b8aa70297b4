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
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.RdmaIoHandler;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.Threads;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.VerbsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** Another thread closes a queue pair, and the loop ends meanwhile. */
@Tag("device")
class LentQueuePairTest {

    /** The process ends if one thread destroys a queue pair while another is in a call on it. */
    @Test
    void queuePairInABlockingCallIsNotFlushed() throws Exception {
        SoftHca.assumeItIsTheDevice();
        try (ChildProcess child = ChildProcess.start(Child.class)) {
            assertThat(child.readLine()).isEqualTo("the loop has ended, and nothing is left open");
            assertThat(child.exitStatus()).isZero();
        }
    }

    static final class Child {

        /** As many as there are threads for blocking calls. */
        private static final int CALLS = 64;
        /** A flush of the queue pair would take this long. */
        private static final String SLOW_CALLS = "control=1:2s";

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            CountDownLatch begun = new CountDownLatch(CALLS);
            CountDownLatch end = new CountDownLatch(1);
            CountDownLatch closed = new CountDownLatch(1);
            IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            IoRegistration registered = group.next().register(TestConnection.idle()).sync().getNow();
            RdmaIoRegistration registration = registered.attachment();
            group.next().submit(() -> {
                LoopDevice device = registration.loop().device(TestDevice.get().device().name());
                QueuePair queuePair = device.createQueuePair(registration, new QueuePairConfig(QueuePairType.RC, 1));
                for (int i = 0; i < CALLS; i++) {
                    registration.loop().blocking(() -> {
                        begun.countDown();
                        await(end);
                    }, failure -> { });
                }
                // Waits for a thread.
                device.closeElsewhere(queuePair, () -> {
                    close(device, queuePair);
                    closed.countDown();
                });
                return registered.cancel();
            }).sync();
            await(begun);
            SoftHca.faults(1, SLOW_CALLS);
            group.shutdownGracefully(0, 0, TimeUnit.MILLISECONDS);
            Deadline.standard().until("the loop's end, or a flush", () -> group.isTerminated()
                    || Threads.isAnyIn("io.nettyrdma.jni.VerbsNative", "modifyQueuePair"));
            end.countDown();
            await(closed);
            group.terminationFuture().sync();
            ChildProcess.reportToParent("the loop has ended, and nothing is left open");
        }

        private static void await(CountDownLatch latch) {
            try {
                assertThat(latch.await(Deadline.scaledMillis(30_000), TimeUnit.MILLISECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        private static void close(LoopDevice device, QueuePair queuePair) {
            try {
                device.closeQueuePair(queuePair);
            } catch (VerbsException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
