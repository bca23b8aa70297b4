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

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A call that a driver may keep waiting for long, made by another thread so that the loop goes on:
 *
 * <pre>
 *   WAITING ---a thread is free---&gt; OUT ---&gt; RETURNED
 *      |
 *      +-------cancel()-----------&gt; CANCELLED
 * </pre>
 *
 * While it is OUT, what it works on belongs to it: the driver keeps whoever touches that waiting as well.
 */
public final class BlockingCall {

    /** What is called. */
    @FunctionalInterface
    public interface Call {
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
     * Any thread.
     *
     * @return whether the call will never be made, and nobody hears of it. {@code false} if it is out, or was.
     */
    public boolean cancel() {
        return state.compareAndSet(State.WAITING, State.CANCELLED);
    }

    /** Returns false if it was cancelled. */
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

    /** Tells who asked for it; {@code null} if it succeeded. */
    void tell() {
        onReturn.accept(failure);
    }
}
