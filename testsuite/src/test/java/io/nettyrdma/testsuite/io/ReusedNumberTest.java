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

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.Future;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.io.LoopDevice;
import io.nettyrdma.io.PollMode;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoHandlerConfig;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.Transitions;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.UncheckedIOException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Another thread destroys a queue pair, and the device gives its number to a new one before the loop knows that the
 * call has returned:
 *
 * <pre>
 *   the loop                          another thread
 *   --------                          --------------
 *   lends number 7 of the first
 *                                     destroys it
 *   creates number 7 of the second
 *   forgets the first
 *   a completion of number 7: the second's
 * </pre>
 */
@Tag("device")
class ReusedNumberTest {

    private static final int QUEUE_KEY = 0x1234567;
    private static final int SLOT = 256;
    private static final QueuePairConfig CONFIG = new QueuePairConfig(QueuePairType.UD, 1);

    private static final class Counting implements RdmaIoHandle {

        private int completions;

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            if (((RdmaIoEvent) event).kind() == RdmaIoEvent.Kind.COMPLETION) {
                completions++;
            }
        }

        @Override
        public int outstandingWork() {
            return 0;
        }

        @Override
        public void close() {
        }
    }

    @Test
    void reusedQueuePairNumberReachesTheNewQueuePair() throws Exception {
        SoftHca.assumeItIsTheDevice();
        assumeTrue(!TestDevice.get().capabilities().reliableConnection(), "65,535 numbers recur after some seconds");
        try (HookedLoop hooked = new HookedLoop(RdmaIoHandlerConfig.DEFAULT.withMode(PollMode.EVENT))) {
            Counting first = new Counting();
            Counting second = new Counting();
            Future<IoRegistration> ofFirst = register(hooked, first);
            Future<IoRegistration> ofSecond = register(hooked, second);
            RdmaIoRegistration owner = ofSecond.getNow().attachment();
            LoopDevice device = owner.loop().device(TestDevice.get().device().name());
            QueuePair lent = device.createQueuePair(ofFirst.getNow().attachment(), CONFIG);
            boolean[] returned = { false };
            device.closeElsewhere(lent, () -> {
                close(device, lent);
                returned[0] = true;
            });
            QueuePair next = withNumber(lent.number(), device, owner);
            hooked.runUntil("the call's return", () -> returned[0]);
            Transitions.activateDatagrams(next, QUEUE_KEY);
            SlotPool pool = device.pool(RdmaByteBufAllocator.DEFAULT, 0, SLOT);
            int slot = pool.take(0);
            ReceiveBatch receive = new ReceiveBatch(1, 1);
            receive.receive(WorkRequestId.ofOwner(WorkRequestId.BY_QUEUE_PAIR))
                    .sge(pool.address(slot), SLOT, pool.localKey(slot));
            next.post(receive);
            next.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            hooked.runUntil("the flushed receive", () -> first.completions + second.completions > 0
                    || owner.loop().counters().get(RdmaCounter.UNKNOWN_COMPLETIONS) > 0);
            assertThat(second.completions).isEqualTo(1);
            close(device, next);
            pool.give(slot);
            ofFirst.getNow().cancel();
            ofSecond.getNow().cancel();
        }
    }

    private static Future<IoRegistration> register(HookedLoop hooked, RdmaIoHandle handle) throws Exception {
        Future<IoRegistration> registered = hooked.loop().register(handle);
        hooked.runUntil("the registration", registered::isDone);
        return registered;
    }

    /** The number recurs once the other thread has destroyed its queue pair, which takes as long as it takes. */
    private static QueuePair withNumber(int number, LoopDevice device, RdmaIoRegistration owner)
            throws VerbsException {
        Deadline deadline = Deadline.standard();
        QueuePair queuePair = device.createQueuePair(owner, CONFIG);
        while (queuePair.number() != number) {
            device.closeQueuePair(queuePair);
            deadline.pause(() -> "a new queue pair with number " + number);
            queuePair = device.createQueuePair(owner, CONFIG);
        }
        return queuePair;
    }

    private static void close(LoopDevice device, QueuePair queuePair) {
        try {
            device.closeQueuePair(queuePair);
        } catch (VerbsException e) {
            throw new UncheckedIOException(e);
        }
    }
}
