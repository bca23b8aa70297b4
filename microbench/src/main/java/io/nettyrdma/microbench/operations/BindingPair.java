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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.microbench.echo.Figure;
import io.nettyrdma.microbench.echo.Samples;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/** Two connected queue pairs of the binding. One thread has both ends, and polls both completion queues. */
final class BindingPair implements AutoCloseable {

    private final End initiator;
    private final End responder;
    private final Patience patience = new Patience();

    /** @param size bytes of the longest operation. */
    BindingPair(LocalPort port, int size) throws IOException {
        initiator = new End(port, size);
        responder = new End(port, size);
        End.connect(port, initiator, responder);
    }

    /** Measures one operation at a time. */
    Figure latency(Operation operation, int size, long nanos) throws VerbsException {
        Samples samples = Samples.take();
        begin();
        long now = System.nanoTime();
        long end = now + nanos;
        do {
            long start = now;
            initiator.post(operation, size, responder.area());
            while (operation.isAnswered() ? initiator.received() < initiator.posted() : initiator.pending() > 0) {
                poll(operation, size);
            }
            now = System.nanoTime();
            samples.add(operation.isAnswered() ? (now - start) / 2 : now - start);
        } while (now - end < 0 && !samples.isFull());
        drain(operation, size);
        check(operation, size);
        Figure figure = samples.figure();
        samples.give();
        return figure;
    }

    /** Measures operations that are not answered, with {@link End#WINDOW} of them in flight. Returns MiB/s. */
    double throughput(Operation operation, int size, long nanos) throws VerbsException {
        begin();
        Slices slices = new Slices(nanos);
        do {
            for (int i = 0; i < End.WINDOW; i++) {
                initiator.post(operation, size, responder.area());
                while (initiator.pending() == End.WINDOW) {
                    poll(operation, size);
                }
            }
        } while (slices.next());
        drain(operation, size);
        check(operation, size);
        return Rate.mibPerSecond((double) size * End.WINDOW, slices.micros());
    }

    private void begin() {
        initiator.begin();
        responder.begin();
    }

    /** Polls both ends, because a device may need that even for reads, and answers. */
    private void poll(Operation operation, int size) throws VerbsException {
        int count = responder.poll();
        while (operation.isAnswered() && responder.posted() < responder.received()) {
            responder.post(operation, size, initiator.area());
        }
        patience.note(count + initiator.poll());
    }

    private void drain(Operation operation, int size) throws VerbsException {
        while (initiator.pending() + responder.pending() > 0) {
            poll(operation, size);
        }
    }

    /** Throws if the two ends do not have what the operations must leave. */
    private void check(Operation operation, int size) {
        long expected = operation.isAnswered() ? initiator.posted() : 0;
        if (responder.received() != expected || responder.posted() != expected || initiator.received() != expected) {
            throw new IllegalStateException(initiator.posted() + " of " + operation + ", but " + responder.received()
                    + " came and " + initiator.received() + " came back");
        }
        Area ours = initiator.area();
        Area theirs = responder.area();
        switch (operation) {
        case SEND -> {
            ours.checkHolds(ours.inbox(), theirs, size, operation);
            theirs.checkHolds(theirs.inbox(), ours, size, operation);
        }
        case WRITE -> theirs.checkHolds(theirs.target(), ours, size, operation);
        case WRITE_AND_SEND, WRITE_WITH_IMMEDIATE -> {
            ours.checkHolds(ours.target(), theirs, size, operation);
            theirs.checkHolds(theirs.target(), ours, size, operation);
        }
        case READ -> ours.checkHolds(ours.inbox(), theirs, size, operation);
        default -> checkCounter(theirs.number(theirs.target()), ours.number(ours.inbox()));
        }
    }

    private void checkCounter(long value, long previous) {
        if (value != initiator.posted() || previous != value - 1) {
            throw new IllegalStateException(initiator.posted() + " atomics left " + value + " after " + previous);
        }
    }

    @Override
    public void close() throws VerbsException {
        initiator.close();
        responder.close();
    }
}
