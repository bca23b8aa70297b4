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

import io.nettyrdma.annotation.UnstableApi;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A call that a driver may block for a long time, made by another thread so that the loop continues:
 *
 * <pre>
 *   WAITING ---a thread is free---&gt; OUT ---&gt; RETURNED
 *      |
 *      +-------cancel()-----------&gt; CANCELLED
 * </pre>
 *
 * While it is OUT, no other call may use the object that it works on: the driver would block that call as well.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class BlockingCall {

    /** The call to make. */
    @FunctionalInterface
    public interface Call {
        /**
         * Makes the call.
         *
         * @throws IOException the result of the call.
         */
        void run() throws IOException;
    }

    private enum State { WAITING, OUT, RETURNED, CANCELLED }

    private final Call call;
    private final Consumer<Throwable> onReturn;
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private Throwable failure;

    BlockingCall(Call call, Consumer<Throwable> onReturn) {
        this.call = call;
        this.onReturn = onReturn;
    }

    /**
     * Cancels the call. Any thread.
     *
     * @return whether the call was cancelled: then it is never made, and nothing is notified. {@code false} if it has
     *         begun.
     */
    public boolean cancel() {
        return state.compareAndSet(State.WAITING, State.CANCELLED);
    }

    /** Makes the call. Returns false if it was cancelled. */
    boolean make() {
        if (!state.compareAndSet(State.WAITING, State.OUT)) {
            return false;
        }
        try {
            call.run();
        } catch (Throwable e) {
            failure = e;
        }
        state.set(State.RETURNED);
        return true;
    }

    /** Notifies the caller with the failure, or {@code null} if the call succeeded. */
    void report() {
        onReturn.accept(failure);
    }
}
