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
import io.netty.channel.IoRegistration;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.memory.LoopTasks;
import io.nettyrdma.verbs.WorkRequestId;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/**
 * The registration of a handle with its loop. Netty's loop returns a wrapper, whose {@link #attachment} is this object.
 * Cancel through the wrapper, which counts registrations.
 *
 * <pre>
 *   VALID ---cancel()---&gt; CANCELLED ---nothing outstanding---&gt; ENDING ---end of the round---&gt; UNREGISTERED
 *                             |                                                                    ^
 *                             +------------------------- the loop ends ----------------------------+
 * </pre>
 *
 * @since 0.1.0
 */
@UnstableApi
public final class RdmaIoRegistration implements IoRegistration {

    private enum State { VALID, CANCELLED, ENDING, UNREGISTERED }

    private static final AtomicReferenceFieldUpdater<RdmaIoRegistration, State> STATE =
            AtomicReferenceFieldUpdater.newUpdater(RdmaIoRegistration.class, State.class, "state");
    private static final int ACCEPTED = 0;
    private static final int REFUSED = -1;

    private final RdmaLoop loop;
    private final EventDispatcher dispatcher;
    private final RdmaIoHandle handle;
    private final int id;

    /** Any thread may leave VALID; only the loop's thread leaves the other states. */
    private volatile State state = State.VALID;

    /** Whether it is marked as affected: on the dispatcher's list for COMPLETIONS_DONE. */
    private boolean affected;

    /** The completion queue of its queue pair; {@code null} if it has none. */
    private LoopQueue queue;
    private long spinNanos;

    RdmaIoRegistration(RdmaLoop loop, EventDispatcher dispatcher, RdmaIoHandle handle, int id) {
        this.loop = loop;
        this.dispatcher = dispatcher;
        this.handle = handle;
        this.id = id;
    }

    /** {@return the loop and its devices} */
    public RdmaLoop loop() {
        return loop;
    }

    /** {@return the handle that is registered} */
    public RdmaIoHandle handle() {
        return handle;
    }

    /** {@return a number that is unique among the handles of this loop whose completions can still arrive} */
    public int id() {
        return id;
    }

    /**
     * {@return the owner in the ids of this registration's work requests: the first argument of {@link
     * WorkRequestId#of}}
     */
    public long workRequestIds() {
        return WorkRequestId.ofOwner(id);
    }

    /**
     * Sets how long an adaptive loop polls after completions of this handle, in place of
     * {@link RdmaIoHandlerConfig#spin}. If several handles have completions in a batch, the longest time applies.
     * Loop's thread.
     *
     * @param nanos a negative value restores the configured time.
     */
    public void spin(long nanos) {
        spinNanos = nanos < 0 ? dispatcher.defaultSpinNanos() : nanos;
    }

    long spinNanos() {
        return spinNanos;
    }

    /** This object. */
    @SuppressWarnings("unchecked")
    @Override
    public <T> T attachment() {
        return (T) this;
    }

    /**
     * Submits an operation. Any thread.
     *
     * @param ops one of {@link RdmaIoOps}.
     * @return 0, or -1 if the handle is not registered any more.
     */
    @Override
    public long submit(IoOps ops) {
        if (ops != RdmaIoOps.REVISIT) {
            throw new IllegalArgumentException("not an operation of " + RdmaIoOps.class.getName() + ": " + ops);
        }
        if (state == State.UNREGISTERED) {
            return REFUSED;
        }
        return onLoop(() -> dispatcher.markAffected(this)) ? ACCEPTED : REFUSED;
    }

    @Override
    public boolean isValid() {
        return state == State.VALID;
    }

    /**
     * Ends the registration when no work is outstanding any more. Any thread.
     *
     * @return whether this call cancelled it; {@code false} if it was cancelled before.
     */
    @Override
    public boolean cancel() {
        if (!STATE.compareAndSet(this, State.VALID, State.CANCELLED)) {
            return false;
        }
        // A loop that has ended has unregistered all handles, or is about to.
        onLoop(() -> loop.cancelled(this));
        return true;
    }

    private boolean onLoop(Runnable task) {
        if (loop.executor().isExecutorThread(Thread.currentThread())) {
            task.run();
            return true;
        }
        return LoopTasks.execute(loop.executor(), task);
    }

    /** Marks it as affected, so that the handle gets COMPLETIONS_DONE. Returns false if it is marked already. */
    boolean markAffected() {
        if (affected || state == State.UNREGISTERED) {
            return false;
        }
        affected = true;
        return true;
    }

    /** Clears the mark. Returns false if the handle must not be called any more. */
    boolean visit() {
        affected = false;
        return state != State.UNREGISTERED;
    }

    void completesIn(LoopQueue newQueue) {
        queue = newQueue;
    }

    /**
     * {@return how often everything that had completed in this handle's queue was handed out} When the value has grown
     * by two, the handle has got everything that completed before. 0 before there is a queue pair. Loop's thread.
     */
    public long rounds() {
        return queue == null ? 0 : queue.rounds();
    }

    /** Whether it is cancelled and no work is outstanding. Returns true once. */
    boolean mayEnd() {
        if (state != State.CANCELLED || !isLost() && handle.outstandingWork() > 0) {
            return false;
        }
        state = State.ENDING;
        return true;
    }

    /** Whether the queue or the device has failed, and so completes nothing any more. */
    private boolean isLost() {
        return queue != null && queue.hasFailed();
    }

    /** Returns false if it had ended before. */
    boolean end() {
        if (state == State.UNREGISTERED) {
            return false;
        }
        state = State.UNREGISTERED;
        return true;
    }

    @Override
    public String toString() {
        return "registration " + Integer.toHexString(id) + " (" + state + ") of " + handle;
    }
}
