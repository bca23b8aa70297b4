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

import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A send queue without a device. The test says which of its datagrams end, and how. */
final class TestSends implements SendTable {

    private final int depth;
    /** In flight, in the order of the posts. */
    final List<OutgoingDatagram> posted = new ArrayList<>();
    private final List<OutgoingDatagram> batch = new ArrayList<>();
    /** Gets what ends. */
    Listener listener;
    /** The next datagram to add fails with it. */
    IOException refusal;

    TestSends(int depth) {
        this.depth = depth;
    }

    @Override
    public int free() {
        return depth - inFlight();
    }

    @Override
    public int inFlight() {
        return posted.size() + batch.size();
    }

    @Override
    public void add(OutgoingDatagram datagram, int queueKey) throws IOException {
        if (refusal != null) {
            IOException cause = refusal;
            refusal = null;
            throw cause;
        }
        batch.add(datagram);
    }

    @Override
    public boolean isBatchFull() {
        return false;
    }

    @Override
    public void post() {
        posted.addAll(batch);
        batch.clear();
    }

    /** Ends a datagram. */
    void end(OutgoingDatagram datagram, DatagramFailure failure) {
        if (!posted.remove(datagram)) {
            throw new AssertionError(datagram + " is not in flight");
        }
        listener.ended(datagram, failure == null ? null
                : new DatagramException(datagram, failure, "by the test", null));
    }

    @Override
    public void completed(int entry, WorkCompletion completion) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void abandon(Function<OutgoingDatagram, DatagramException> failure) {
        posted.forEach(each -> each.abandoned(failure.apply(each)));
    }

    @Override
    public void release(Function<OutgoingDatagram, DatagramException> failure) {
        while (!posted.isEmpty()) {
            OutgoingDatagram next = posted.remove(0);
            listener.ended(next, failure.apply(next));
        }
    }
}
