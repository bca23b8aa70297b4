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

import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.io.RdmaLoop;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.Transitions;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.ReceiveBatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;

import static org.assertj.core.api.Assertions.assertThat;

/** A device that still completes work requests of destroyed queue pairs, as the kernel's siw does. */
@Tag("device")
class LeftCompletionsTest {

    private static final int QUEUE = 64;
    private static final int BATCH = 16;
    private static final int DEPTH = 16;
    private static final int SLOT = 64;
    private static final int QUEUE_PAIRS = 10;
    /** Belongs to no registration. */
    private static final long WORK_REQUEST = 0xabcdefL << Integer.SIZE;

    @BeforeEach
    void faults() throws Exception {
        SoftHca.assumeItIsTheDevice();
        // Faults can be set only while a device is open.
        TestDevice.get();
        SoftHca.faults(1, "linger=1");
    }

    @AfterEach
    void noFaults() throws Exception {
        SoftHca.noFaults();
    }

    /** The test runs the loop, so nothing is polled meanwhile. */
    @Test
    void leftCompletionsOccupyTheQueueUntilTheyArePolled() throws Exception {
        RdmaIoHandlerConfig config = RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT)
                .withCompletionQueue(QUEUE, BATCH);
        try (HookedLoop hooked = new HookedLoop(config)) {
            Future<IoRegistration> registered = hooked.loop().register(TestConnection.idle());
            hooked.runUntil("the registration", registered::isDone);
            RdmaIoRegistration registration = registered.getNow().attachment();
            leave(registration);
            hooked.runUntil("all completions", () ->
                    registration.loop().counters().get(RdmaCounter.UNKNOWN_COMPLETIONS) == QUEUE_PAIRS * DEPTH);
            // The last batch was full, so the loop polls again before it finds the queue empty.
            hooked.loop().runNow();
            int queues = device(registration.loop()).completionQueues();
            leave(registration);
            assertThat(device(registration.loop()).completionQueues()).as("the room is used again").isEqualTo(queues);
            registered.getNow().cancel();
        }
    }

    private static void leave(RdmaIoRegistration registration) {
        LoopDevice device = device(registration.loop());
        ReceiveBatch receives = new ReceiveBatch(DEPTH, 1);
        try {
            SlotPool pool = device.pool(RdmaByteBufAllocator.DEFAULT, 0, SLOT);
            int slot = pool.take(0);
            for (int i = 0; i < DEPTH; i++) {
                receives.receive(WORK_REQUEST).sge(pool.address(slot), SLOT, pool.localKey(slot));
            }
            for (int i = 0; i < QUEUE_PAIRS; i++) {
                QueuePair queuePair = device.createQueuePair(registration,
                        new QueuePairConfig(QueuePairType.RC, DEPTH));
                queuePair.modify(Transitions.toInit(RcSettings.of(ApiVariant.preferred())));
                queuePair.post(receives);
                device.closeQueuePair(queuePair);
            }
            pool.give(slot);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static LoopDevice device(RdmaLoop loop) {
        try {
            return loop.device(TestDevice.get().device().name());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
