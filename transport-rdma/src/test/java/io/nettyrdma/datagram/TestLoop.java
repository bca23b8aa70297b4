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
package io.nettyrdma.datagram;

import io.nettyrdma.io.BlockingCall;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

/** A loop whose blocking calls return when the test says so. None is made. */
final class TestLoop implements HandleLoop {

    private final Queue<Consumer<Throwable>> calls = new ArrayDeque<>();
    int revisits;

    @Override
    public void blocking(BlockingCall.Call call, Consumer<Throwable> onReturn) {
        calls.add(onReturn);
    }

    @Override
    public long rounds() {
        return 0;
    }

    @Override
    public void revisit() {
        revisits++;
    }

    int calls() {
        return calls.size();
    }

    /** The oldest call returns. */
    void returns(Throwable failure) {
        calls.remove().accept(failure);
    }
}
