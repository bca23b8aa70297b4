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
 * Hands events to handles, and ends registrations that are cancelled. One after the other: nothing is ever handed out
 * within a call of a handle.
 *
 * <pre>
 *   completion ---&gt; COMPLETION ---&gt; touched ---endBatch---&gt; COMPLETIONS_DONE
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
    private RdmaIoRegistration[] touched = new RdmaIoRegistration[16];
    private int touchedCount;
    /** Registrations that nobody has cancelled. */
    private int valid;
    /** Of the handles of the last batch. */
    private long spinNanos;

    /** @param defaultSpinNanos of handles that say nothing else. */
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

    /** Whether something is to be handed out though nothing comes. */
    boolean hasPending() {
        return touchedCount > 0 || !ending.isEmpty();
    }

    /** Whether a cancelled registration waits for the end of its work. */
    boolean hasLeaving() {
        return registrations.size() > valid;
    }

    /** @param owner what {@link WorkRequestId#owner} says of the completion. */
    void completion(WorkCompletion completion, int owner) {
        completion(completion, registrations.find(owner));
    }

    /** @param registration {@code null} if nobody waits for the completion any more. */
    void completion(WorkCompletion completion, RdmaIoRegistration registration) {
        if (registration == null) {
            counters.increment(RdmaCounter.UNKNOWN_COMPLETIONS);
            return;
        }
        touch(registration);
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

    /** Has the handle get COMPLETIONS_DONE at the end of this batch, or of the next one if this is the end. */
    void touch(RdmaIoRegistration registration) {
        if (registration.touch()) {
            if (touchedCount == touched.length) {
                touched = Arrays.copyOf(touched, touchedCount * 2);
            }
            touched[touchedCount++] = registration;
        }
    }

    /**
     * The completions that were polled together have all been handed out.
     *
     * @return how many handles got some, or wanted to be visited.
     */
    int endBatch() {
        int count = touchedCount;
        if (count == 0) {
            return 0;
        }
        spinNanos = 0;
        for (int i = 0; i < count; i++) {
            RdmaIoRegistration registration = touched[i];
            spinNanos = Math.max(spinNanos, registration.spinNanos());
            if (registration.visit()) {
                handle(registration, event.ofCompletionsDone());
                endIfDone(registration);
            }
        }
        // A handle that asked to be visited again is behind those of this batch.
        int again = touchedCount - count;
        System.arraycopy(touched, count, touched, 0, again);
        Arrays.fill(touched, again, touchedCount, null);
        touchedCount = again;
        return count;
    }

    long defaultSpinNanos() {
        return defaultSpinNanos;
    }

    /** How long the loop is to poll for what may follow the last batch. */
    long spinNanos() {
        return spinNanos;
    }

    void cancelled(RdmaIoRegistration registration) {
        valid--;
        endIfDone(registration);
    }

    /**
     * Ends all that may end. Not within a call of a handle: what it closes may be what it was just called for.
     */
    void endCancelled() {
        while (!ending.isEmpty()) {
            endOneCancelled();
        }
    }

    /** As {@link #endCancelled}, but only the first: a device takes its time to destroy a queue pair. */
    void endOneCancelled() {
        if (!ending.isEmpty()) {
            end(ending.remove());
        }
    }

    /** Whether work is outstanding or not. */
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

    /** One handle that fails must not take the events of others with it. */
    private void handle(RdmaIoRegistration registration, RdmaIoEvent given) {
        try {
            registration.handle().handle(registration, given);
        } catch (Throwable t) {
            LOGGER.warn("{} failed to handle {}; it is closed", registration, given, t);
            close(registration);
        }
    }
}
