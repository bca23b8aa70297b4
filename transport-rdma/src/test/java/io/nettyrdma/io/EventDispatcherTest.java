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

import io.netty.channel.IoOps;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Which events handles get, in which order, and when a registration ends. */
class EventDispatcherTest {

    private final TestExecutor executor = new TestExecutor();
    private final RdmaCounters counters = new RdmaCounters();
    private final EventDispatcher dispatcher = new EventDispatcher(counters, 50_000);
    private final RdmaLoop loop = new RdmaLoop(executor, RdmaIoHandlerConfig.DEFAULT, null, counters, 0,
            dispatcher, new CompletionPoller(dispatcher, System::nanoTime));
    private final TestHandle handle = new TestHandle();
    private final RdmaIoRegistration registration = dispatcher.register(loop, handle);

    private void complete(RdmaIoRegistration owner) {
        dispatcher.completion(null, owner.id());
    }

    @Test
    void batchOfCompletionsEndsWithOneCall() {
        complete(registration);
        complete(registration);
        assertThat(dispatcher.hasPending()).isTrue();
        assertThat(dispatcher.endBatch()).isEqualTo(1);
        assertThat(handle.events).containsExactly("registered", "COMPLETION", "COMPLETION", "COMPLETIONS_DONE");
        assertThat(dispatcher.hasPending()).isFalse();
        assertThat(dispatcher.endBatch()).isZero();
        complete(registration);
        assertThat(dispatcher.endBatch()).isEqualTo(1);
        assertThat(handle.events).hasSize(6);
    }

    @Test
    void completionsReachTheHandleOfTheirId() {
        TestHandle other = new TestHandle();
        RdmaIoRegistration second = dispatcher.register(loop, other);
        complete(second);
        complete(registration);
        complete(second);
        assertThat(dispatcher.endBatch()).isEqualTo(2);
        assertThat(handle.events).containsExactly("registered", "COMPLETION", "COMPLETIONS_DONE");
        assertThat(other.events).containsExactly("registered", "COMPLETION", "COMPLETION", "COMPLETIONS_DONE");
    }

    /** A device is slow to destroy a queue pair, and a loop polls in between. */
    @Test
    void manyRegistrationsEndOneAtATime() {
        TestHandle other = new TestHandle();
        RdmaIoRegistration second = dispatcher.register(loop, other);
        registration.cancel();
        second.cancel();
        dispatcher.endOneCancelled();
        assertThat(handle.events).endsWith("unregistered");
        assertThat(other.events).doesNotContain("unregistered");
        assertThat(dispatcher.hasPending()).as("the loop does not sleep before the other").isTrue();
        dispatcher.endOneCancelled();
        assertThat(other.events).endsWith("unregistered");
        assertThat(dispatcher.hasPending()).isFalse();
        dispatcher.endOneCancelled();
    }

    @Test
    void completionsWithoutHandleAreCounted() {
        dispatcher.completion(null, 77);
        assertThat(dispatcher.endBatch()).isZero();
        assertThat(counters.get(RdmaCounter.UNKNOWN_COMPLETIONS)).isEqualTo(1);
    }

    /** A handle that always requests another call must not starve the others. */
    @Test
    void revisitRequestedDuringVisitRunsInNextBatch() {
        handle.reaction = event -> registration.submit(RdmaIoOps.REVISIT);
        assertThat(registration.submit(RdmaIoOps.REVISIT)).isZero();
        assertThat(registration.submit(RdmaIoOps.REVISIT)).isZero();
        assertThat(handle.events).containsExactly("registered");
        for (int i = 1; i <= 3; i++) {
            assertThat(dispatcher.endBatch()).isEqualTo(1);
            assertThat(handle.events).hasSize(1 + i).endsWith("COMPLETIONS_DONE");
            assertThat(dispatcher.hasPending()).isTrue();
        }
    }

    @Test
    void manyHandlesAreVisited() {
        TestHandle[] handles = new TestHandle[100];
        for (int i = 0; i < handles.length; i++) {
            handles[i] = new TestHandle();
            RdmaIoRegistration each = dispatcher.register(loop, handles[i]);
            handles[i].reaction = event -> each.submit(RdmaIoOps.REVISIT);
            complete(each);
        }
        assertThat(dispatcher.endBatch()).isEqualTo(handles.length);
        assertThat(dispatcher.endBatch()).isEqualTo(handles.length);
        for (TestHandle each : handles) {
            assertThat(each.events).containsExactly("registered", "COMPLETION", "COMPLETIONS_DONE", "COMPLETIONS_DONE");
        }
    }

    @Test
    void revisitFromAnotherThreadRunsAsATask() {
        executor.elsewhere = true;
        assertThat(registration.submit(RdmaIoOps.REVISIT)).isZero();
        assertThat(dispatcher.endBatch()).isZero();
        executor.runAll();
        assertThat(dispatcher.endBatch()).isEqualTo(1);
        executor.ended = true;
        assertThat(registration.submit(RdmaIoOps.REVISIT)).isEqualTo(-1);
    }

    @Test
    void otherOperationsAreRefused() {
        IoOps foreign = new IoOps() { };
        assertThatIllegalArgumentException().isThrownBy(() -> registration.submit(foreign))
                .withMessageContaining("RdmaIoOps");
    }

    @Test
    void cancelledRegistrationWithoutWorkEndsAtTheEndOfTheRound() {
        assertThat(registration.cancel()).isTrue();
        assertThat(registration.isValid()).isFalse();
        assertThat(handle.events).containsExactly("registered");
        assertThat(dispatcher.hasPending()).isTrue();
        dispatcher.endCancelled();
        assertThat(handle.events).containsExactly("registered", "unregistered");
        assertThat(dispatcher.size()).isZero();
        assertThat(registration.submit(RdmaIoOps.REVISIT)).isEqualTo(-1);
    }

    @Test
    void secondCancelHasNoEffect() {
        assertThat(registration.cancel()).isTrue();
        assertThat(registration.cancel()).isFalse();
        dispatcher.endCancelled();
        assertThat(registration.cancel()).isFalse();
        dispatcher.endCancelled();
        assertThat(handle.events).containsExactly("registered", "unregistered");
    }

    @Test
    void outstandingWorkDefersTheEnd() {
        handle.outstanding = 2;
        handle.reaction = event -> {
            if (event.kind() == RdmaIoEvent.Kind.COMPLETION) {
                handle.outstanding--;
            }
        };
        registration.cancel();
        dispatcher.endCancelled();
        assertThat(dispatcher.hasPending()).isFalse();
        complete(registration);
        dispatcher.endBatch();
        dispatcher.endCancelled();
        assertThat(handle.events).doesNotContain("unregistered");
        complete(registration);
        dispatcher.endBatch();
        assertThat(handle.events).doesNotContain("unregistered");
        dispatcher.endCancelled();
        assertThat(handle.events).endsWith("COMPLETION", "COMPLETIONS_DONE", "unregistered");
        complete(registration);
        assertThat(counters.get(RdmaCounter.UNKNOWN_COMPLETIONS)).isEqualTo(1);
    }

    /** When work ended without a completion, because the queue pair was destroyed. */
    @Test
    void revisitEndsCancelledHandleWithoutOutstandingWork() {
        handle.outstanding = 2;
        registration.cancel();
        handle.outstanding = 0;
        registration.submit(RdmaIoOps.REVISIT);
        dispatcher.endBatch();
        dispatcher.endCancelled();
        assertThat(handle.events).endsWith("unregistered");
    }

    @Test
    void cancelFromAnotherThreadRunsAsATask() {
        executor.elsewhere = true;
        assertThat(registration.cancel()).isTrue();
        assertThat(registration.isValid()).isFalse();
        assertThat(dispatcher.hasPending()).isFalse();
        executor.runAll();
        dispatcher.endCancelled();
        assertThat(handle.events).endsWith("unregistered");
    }

    @Test
    void cancelAfterTheEndOfTheLoopHasNoEffect() {
        executor.elsewhere = true;
        executor.ended = true;
        assertThat(registration.cancel()).isTrue();
        dispatcher.end(registration);
        assertThat(handle.events).containsExactly("registered", "unregistered");
    }

    /** The end of the loop waits for nothing, and earlier requests have no effect. */
    @Test
    void endedRegistrationIsNotVisited() {
        handle.outstanding = 1;
        registration.submit(RdmaIoOps.REVISIT);
        dispatcher.end(registration);
        dispatcher.end(registration);
        dispatcher.endBatch();
        assertThat(handle.events).containsExactly("registered", "unregistered");
    }

    @Test
    void throwingHandleIsClosedAndOthersGetTheirEvents() {
        TestHandle other = new TestHandle();
        RdmaIoRegistration second = dispatcher.register(loop, other);
        handle.reaction = event -> {
            throw new AssertionError("meant");
        };
        complete(registration);
        complete(second);
        assertThat(dispatcher.endBatch()).isEqualTo(2);
        assertThat(handle.events).containsExactly("registered", "COMPLETION", "close", "COMPLETIONS_DONE", "close");
        assertThat(other.events).containsExactly("registered", "COMPLETION", "COMPLETIONS_DONE");
    }

    @Test
    void cancelDuringACallTakesEffectAfterIt() {
        handle.reaction = event -> registration.cancel();
        complete(registration);
        complete(registration);
        dispatcher.endBatch();
        assertThat(handle.events).containsExactly("registered", "COMPLETION", "COMPLETION", "COMPLETIONS_DONE");
        dispatcher.endCancelled();
        assertThat(handle.events).endsWith("unregistered");
    }

    @Test
    void aRegistrationLeadsToItsLoop() {
        RdmaIoRegistration attached = registration.attachment();
        assertThat(attached).isSameAs(registration);
        assertThat(attached.loop()).isSameAs(loop);
        assertThat(attached.handle()).isSameAs(handle);
        assertThat(attached.workRequestIds() >>> 32).isEqualTo(attached.id());
    }

    @Test
    void loopSpinsForTheLongestBudgetOfABatch() {
        RdmaIoRegistration second = dispatcher.register(loop, new TestHandle());
        dispatcher.markAffected(registration);
        dispatcher.endBatch();
        assertThat(dispatcher.spinNanos()).isEqualTo(50_000);
        registration.spin(7);
        second.spin(0);
        dispatcher.markAffected(second);
        dispatcher.markAffected(registration);
        dispatcher.endBatch();
        assertThat(dispatcher.spinNanos()).isEqualTo(7);
        dispatcher.markAffected(second);
        dispatcher.endBatch();
        assertThat(dispatcher.spinNanos()).isZero();
        second.spin(-1);
        dispatcher.markAffected(second);
        dispatcher.endBatch();
        assertThat(dispatcher.spinNanos()).isEqualTo(50_000);
    }
}
