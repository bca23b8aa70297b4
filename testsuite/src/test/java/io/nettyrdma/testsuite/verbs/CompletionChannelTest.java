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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.Deviation;
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.FdWaiter;
import io.nettyrdma.testsuite.support.Peer;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.Seeds;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.CompletionChannel;
import io.nettyrdma.verbs.CompletionQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A thread that waits for completions sleeps on the channel's descriptor, and must never miss one. */
@Tag("device")
class CompletionChannelTest {

    /** In each round the peer is asked to send, which is slow if it is in another process. */
    private static final int ROUNDS = Peer.areElsewhere() ? 1_000 : 10_000;
    private static final int LONGEST_SPIN = 2_000;

    @BeforeEach
    void needsEvents() {
        assumeTrue(TestDevice.get().capabilities().completionEvents(), "no completion events");
    }

    @EachVariant
    void armedQueueReportsItsNextCompletionOnce(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            CompletionChannel channel = pair.left().channel();
            CompletionQueue queue = pair.left().receives().queue();
            try (FdWaiter waiter = new FdWaiter(channel.fd())) {
                TestMemory mailbox = pair.left().memory(1);
                receive(pair, mailbox);
                receive(pair, mailbox);
                deliver(pair, false);
                pair.left().receives().awaitSuccess();
                assertThat(waiter.isReadable()).as("an event of a queue that was not armed").isFalse();

                queue.arm(false);
                assertThat(waiter.isReadable()).as("an event without a completion").isFalse();
                deliver(pair, false);
                waiter.await(Deadline.standard(), "the event");
                assertThat(events(channel)).containsExactly(queue);
                assertThat(waiter.isReadable()).isFalse();
                pair.left().receives().awaitSuccess();
            }
        }
    }

    @EachVariant
    void oneChannelServesManyQueues(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant)) {
            CompletionChannel channel = pair.left().channel();
            CompletionQueue sends = pair.left().sends().queue();
            CompletionQueue receives = pair.left().receives().queue();
            sends.arm(false);
            receives.arm(false);
            receive(pair, pair.left().memory(1));
            deliver(pair, false);
            pair.right().receive(1, pair.right().memory(1), 0, 1);
            pair.left().send(batch -> batch.send(1).signaled());
            List<CompletionQueue> seen = new ArrayList<>();
            try (FdWaiter waiter = new FdWaiter(channel.fd())) {
                Deadline deadline = Deadline.standard();
                while (seen.size() < 2) {
                    waiter.await(deadline, "the events of both queues, seen " + seen);
                    seen.addAll(events(channel));
                }
            }
            assertThat(seen).containsExactlyInAnyOrder(sends, receives);
        }
    }

    @EachVariant
    void unsolicitedCompletionDoesNotWakeASolicitedOnlyQueue(ApiVariant variant) throws Exception {
        Deviation.SIW_HAS_NO_SOLICITED_EVENTS.assumeNotHere();
        try (RcPair pair = new RcPair(variant)) {
            CompletionChannel channel = pair.left().channel();
            try (FdWaiter waiter = new FdWaiter(channel.fd())) {
                TestMemory mailbox = pair.left().memory(1);
                receive(pair, mailbox);
                receive(pair, mailbox);
                pair.left().receives().queue().arm(true);
                deliver(pair, false);
                pair.left().receives().awaitSuccess();
                assertThat(waiter.isReadable()).as("an event of an unsolicited message").isFalse();

                deliver(pair, true);
                waiter.await(Deadline.standard(), "the event of a solicited message");
                assertThat(events(channel)).hasSize(1);
            }
        }
    }

    @EachVariant
    void failureWakesASolicitedOnlyQueue(ApiVariant variant) throws Exception {
        Deviation.RXE_FLUSHES_RECEIVES_UNSOLICITED.assumeNotHere();
        Deviation.SIW_HAS_NO_SOLICITED_EVENTS.assumeNotHere();
        try (RcPair pair = new RcPair(variant); FdWaiter waiter = new FdWaiter(pair.left().channel().fd())) {
            receive(pair, pair.left().memory(1));
            pair.left().receives().queue().arm(true);
            pair.left().queuePair().toError();
            waiter.await(Deadline.standard(), "the event of a flushed receive");
            assertThat(events(pair.left().channel())).hasSize(1);
        }
    }

    /** More events than are acknowledged at a time. If one were forgotten, destroying the queue would block. */
    @EachVariant
    void aQueueWithManyEventsCanBeClosed(ApiVariant variant) throws Exception {
        try (RcPair pair = new RcPair(variant); FdWaiter waiter = new FdWaiter(pair.left().channel().fd())) {
            CompletionQueue queue = pair.left().receives().queue();
            TestMemory mailbox = pair.left().memory(1);
            for (int i = 0; i < 150; i++) {
                queue.arm(false);
                receive(pair, mailbox);
                deliver(pair, false);
                waiter.await(Deadline.standard(), "event " + i);
                assertThat(events(pair.left().channel())).hasSize(1);
                pair.left().receives().awaitSuccess();
            }
            pair.left().queuePair().close();
            FutureTask<Void> closing = new FutureTask<>(() -> {
                queue.close();
                return null;
            });
            Thread closer = new Thread(closing, "closer");
            closer.setDaemon(true);
            closer.start();
            closing.get(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /**
     * <pre>
     *                           a completion here ...
     *   POLL        poll        is found at once
     *   ARM         arm         raises no event: polling again must find it
     *   POLL_AGAIN  poll again  raises one that is not needed any more
     *   WAIT        wait        wakes
     * </pre>
     *
     * In each round a message arrives at one of these moments, or another thread sends it around all of them. The next
     * round begins when it has been found. A lost completion shows as an endless wait.
     */
    @ParameterizedTest(name = "{0}")
    @EnumSource(value = ApiVariant.class, names = { "EXTENDED_CQ_EXTENDED_QP", "CLASSIC_CQ_CLASSIC_QP" })
    void aCompletionBetweenPollAndArmIsNotLost(ApiVariant variant) throws Exception {
        long start = System.nanoTime();
        int[] found = new int[Moment.values().length];
        try (RcPair pair = new RcPair(variant);
             FdWaiter waiter = new FdWaiter(pair.left().channel().fd());
             Rounds rounds = new Rounds(pair, waiter)) {
            for (int round = 0; round < ROUNDS; round++) {
                found[rounds.next().ordinal()]++;
            }
        }
        System.out.printf("%s: %d rounds in %d ms, completions found by %s: %s%n", variant, ROUNDS,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start), List.of(Moment.values()),
                Arrays.toString(found));
        assertThat(found).as("rounds that ended at each moment").doesNotContain(0);
    }

    private enum Moment { POLL, ARM, POLL_AGAIN, WAIT }

    private static final class Rounds implements AutoCloseable {

        private final RcPair pair;
        private final FdWaiter waiter;
        private final TestMemory mailbox;
        private final CompletionQueue queue;
        private final Random random = Seeds.newRandom();
        private final ExecutorService other = Executors.newSingleThreadExecutor();

        Rounds(RcPair pair, FdWaiter waiter) throws Exception {
            this.pair = pair;
            this.waiter = waiter;
            mailbox = pair.left().memory(1);
            queue = pair.left().receives().queue();
        }

        /** Returns where the completion was found. ARM means by polling again, although it was there before. */
        Moment next() throws Exception {
            receive(pair, mailbox);
            int moment = random.nextInt(Moment.values().length + 1);
            Future<?> sending = moment < Moment.values().length ? null
                    : other.submit(sendAfter(random.nextInt(LONGEST_SPIN)));
            Moment found = protocol(moment);
            assertThat(queue.completion(0).isSuccess()).isTrue();
            if (sending != null) {
                sending.get(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS);
            }
            return found;
        }

        private Moment protocol(int moment) throws Exception {
            deliverAt(Moment.POLL, moment);
            if (queue.poll() != 0) {
                return Moment.POLL;
            }
            deliverAt(Moment.ARM, moment);
            queue.arm(false);
            deliverAt(Moment.POLL_AGAIN, moment);
            if (queue.poll() != 0) {
                return moment == Moment.ARM.ordinal() ? Moment.ARM : Moment.POLL_AGAIN;
            }
            deliverAt(Moment.WAIT, moment);
            sleep();
            return Moment.WAIT;
        }

        /** The event may belong to an earlier round, whose completion was found without it. */
        private void sleep() throws Exception {
            Deadline deadline = Deadline.standard();
            while (true) {
                waiter.await(deadline, "a completion");
                events(pair.left().channel());
                if (queue.poll() != 0) {
                    return;
                }
                queue.arm(false);
                if (queue.poll() != 0) {
                    return;
                }
            }
        }

        private void deliverAt(Moment here, int moment) throws Exception {
            if (here.ordinal() == moment) {
                deliver(pair, false);
            }
        }

        private Callable<Void> sendAfter(int spins) {
            return () -> {
                for (int spin = 0; spin < spins; spin++) {
                    Thread.onSpinWait();
                }
                deliver(pair, false);
                return null;
            };
        }

        @Override
        public void close() {
            other.shutdownNow();
        }
    }

    private static void receive(RcPair pair, TestMemory mailbox) throws Exception {
        pair.left().receive(1, mailbox, 0, 1);
    }

    /** The peer sends an empty message, which has arrived on return. */
    private static void deliver(RcPair pair, boolean solicited) throws Exception {
        pair.right().send(new Peer.Send(1, List.of(), null, solicited));
        pair.right().sends().awaitSuccess();
    }

    private static List<CompletionQueue> events(CompletionChannel channel) throws Exception {
        List<CompletionQueue> queues = new ArrayList<>();
        int count = channel.poll(queues::add);
        assertThat(queues).hasSize(count);
        return queues;
    }
}
