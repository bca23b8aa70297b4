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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkRequestId;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;

/**
 * Dispatches events to handles, and ends cancelled registrations. Dispatches one event after another, never within a
 * call of a handle.
 *
 * <pre>
 *   completion ---&gt; COMPLETION ---&gt; affected --endBatch---&gt; COMPLETIONS_DONE
 *   REVISIT -------------------------^                          |
 *                                                               v nothing outstanding any more
 *   cancel, nothing outstanding --------------------------&gt; ending ---endCancelled---&gt; unregistered()
 * </pre>
 */
final class EventDispatcher {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(EventDispatcher.class);

    private final RdmaCounters counters;
    private final long defaultSpinNanos;
    private final RegistrationTable registrations = new RegistrationTable();
    private final RdmaIoEvent event = new RdmaIoEvent();
    private final Queue<RdmaIoRegistration> ending = new ArrayDeque<>();
    private RdmaIoRegistration[] affected = new RdmaIoRegistration[16];
    private int affectedCount;
    /** The number of registrations that are not cancelled. */
    private int valid;
    /** The longest spin of the handles of the last batch. */
    private long spinNanos;

    /** @param defaultSpinNanos for handles that set no other value. */
    EventDispatcher(RdmaCounters counters, long defaultSpinNanos) {
        this.counters = counters;
        this.defaultSpinNanos = defaultSpinNanos;
    }

    RdmaIoRegistration register(RdmaLoop loop, RdmaIoHandle handle) {
        RdmaIoRegistration registration =
                registrations.add(id -> new RdmaIoRegistration(loop, this, handle, id));
        registration.spin(-1);
        try {
            handle.registered();
        } catch (RuntimeException e) {
            registrations.remove(registration);
            throw e;
        }
        valid++;
        return registration;
    }

    RdmaIoRegistration[] all() {
        return registrations.all();
    }

    int size() {
        return registrations.size();
    }

    /** Whether there is something to dispatch even if no event arrives. */
    boolean hasPending() {
        return affectedCount > 0 || !ending.isEmpty();
    }

    /** Whether a cancelled registration still waits for outstanding work. */
    boolean hasLeaving() {
        return registrations.size() > valid;
    }

    /** @param owner the completion's {@link WorkRequestId#owner}. */
    void completion(WorkCompletion completion, int owner) {
        completion(completion, registrations.find(owner));
    }

    /** @param registration {@code null} if the completion has no owner any more. */
    void completion(WorkCompletion completion, RdmaIoRegistration registration) {
        if (registration == null) {
            counters.increment(RdmaCounter.UNKNOWN_COMPLETIONS);
            return;
        }
        markAffected(registration);
        handle(registration, event.ofCompletion(completion));
    }

    void cmEvent(RdmaIoRegistration registration, CmEvent cmEvent) {
        handle(registration, event.ofCm(cmEvent));
        event.clear();
    }

    void asyncEvent(RdmaIoRegistration registration, AsyncEvent asyncEvent) {
        handle(registration, event.ofAsync(asyncEvent));
        event.clear();
    }

    /** Marks it as affected: its handle gets COMPLETIONS_DONE when this batch ends, or the next if this is ending. */
    void markAffected(RdmaIoRegistration registration) {
        if (registration.markAffected()) {
            if (affectedCount == affected.length) {
                affected = Arrays.copyOf(affected, affectedCount * 2);
            }
            affected[affectedCount++] = registration;
        }
    }

    /**
     * Called when all completions of a batch have been handed out.
     *
     * @return the number of handles that got some, or requested a visit.
     */
    int endBatch() {
        int count = affectedCount;
        if (count == 0) {
            return 0;
        }
        spinNanos = 0;
        for (int i = 0; i < count; i++) {
            RdmaIoRegistration registration = affected[i];
            spinNanos = Math.max(spinNanos, registration.spinNanos());
            if (registration.visit()) {
                handle(registration, event.ofCompletionsDone());
                endIfDone(registration);
            }
        }
        // Handles that requested another visit meanwhile are behind those of this batch.
        int remaining = affectedCount - count;
        System.arraycopy(affected, count, affected, 0, remaining);
        Arrays.fill(affected, remaining, affectedCount, null);
        affectedCount = remaining;
        return count;
    }

    long defaultSpinNanos() {
        return defaultSpinNanos;
    }

    /** How long the loop continues to poll after the last batch. */
    long spinNanos() {
        return spinNanos;
    }

    void cancelled(RdmaIoRegistration registration) {
        valid--;
        endIfDone(registration);
    }

    /**
     * Ends all registrations that may end. Not within a call of a handle, which may work with what this closes.
     */
    void endCancelled() {
        while (!ending.isEmpty()) {
            endOneCancelled();
        }
    }

    /** As {@link #endCancelled}, but only the first, because destroying a queue pair takes time. */
    void endOneCancelled() {
        if (!ending.isEmpty()) {
            end(ending.remove());
        }
    }

    /** Ends the registration, even if work is outstanding. */
    void end(RdmaIoRegistration registration) {
        if (!registration.end()) {
            return;
        }
        registrations.remove(registration);
        try {
            registration.handle().unregistered();
        } catch (Throwable t) {
            LOGGER.warn("{} failed to end", registration, t);
        }
    }

    void close(RdmaIoRegistration registration) {
        try {
            registration.handle().close();
        } catch (Throwable t) {
            LOGGER.warn("{} failed to close", registration, t);
        }
    }

    private void endIfDone(RdmaIoRegistration registration) {
        if (registration.mayEnd()) {
            ending.add(registration);
        }
    }

    /** A handle that throws must not keep others from their events. */
    private void handle(RdmaIoRegistration registration, RdmaIoEvent given) {
        try {
            registration.handle().handle(registration, given);
        } catch (Throwable t) {
            LOGGER.warn("{} failed to handle {}; it is closed", registration, given, t);
            close(registration);
        }
    }
}
