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

import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;

/** One end of a connection of the binding: a queue pair and what it needs. */
final class End implements AutoCloseable {

    /** Operations in flight, at most. */
    static final int WINDOW = 16;
    /** A write and the message behind it are two requests. */
    private static final int DEPTH = 2 * WINDOW;
    private static final long RECEIVE = -1;

    private final RdmaDevice device;
    private final ProtectionDomain domain;
    private final Completions completions;
    private final QueuePair pair;
    private final Area area;
    private final int size;
    private final SendBatch sends = new SendBatch(2, 1);
    private final ReceiveBatch receives = new ReceiveBatch(1, 1);
    private long posted;
    private long completed;
    private long received;

    /** @param size bytes of the longest operation. */
    End(LocalPort port, int size) throws IOException {
        this.size = size;
        device = port.open();
        domain = device.createProtectionDomain();
        area = new Area(domain, port, size);
        completions = new Completions(device, 2 * DEPTH);
        pair = domain.createQueuePair(new QueuePairConfig(QueuePairType.RC, DEPTH), completions.queue(),
                completions.queue());
    }

    static void connect(LocalPort port, End one, End other) throws VerbsException {
        port.connect(one.pair, other.pair);
        for (int i = 0; i < DEPTH; i++) {
            one.postReceive();
            other.postReceive();
        }
    }

    Area area() {
        return area;
    }

    /** Restarts the count. Nothing may be in flight. */
    void begin() {
        posted = 0;
        completed = 0;
        received = 0;
        area.clear();
    }

    void post(Operation operation, int bytes, Area peer) throws VerbsException {
        sends.clear();
        fill(operation, bytes, peer);
        pair.post(sends.signaled());
        posted++;
    }

    private void fill(Operation operation, int bytes, Area peer) {
        long target = peer.addressOf(peer.target());
        int key = peer.region().remoteKey();
        switch (operation) {
        case SEND -> sends.send(posted).sge(area.region(), area.source(), bytes);
        case WRITE -> sends.write(posted, target, key).sge(area.region(), area.source(), bytes);
        case WRITE_AND_SEND -> sends.write(posted, target, key).sge(area.region(), area.source(), bytes)
                .send(posted).sge(area.region(), area.source(), Operation.NOTICE);
        case WRITE_WITH_IMMEDIATE -> sends.writeWithImmediate(posted, target, key, bytes)
                .sge(area.region(), area.source(), bytes);
        case READ -> sends.read(posted, peer.addressOf(peer.source()), key).sge(area.region(), area.inbox(), bytes);
        case FETCH_AND_ADD -> sends.fetchAndAdd(posted, target, key, 1).sge(area.region(), area.inbox(), Long.BYTES);
        case COMPARE_AND_SWAP -> sends.compareAndSwap(posted, target, key, posted, posted + 1)
                .sge(area.region(), area.inbox(), Long.BYTES);
        default -> throw new AssertionError(operation);
        }
    }

    /** Takes what has completed, and posts a receive for each that was used. Returns the number of completions. */
    int poll() throws VerbsException {
        int count = completions.poll();
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = completions.get(i);
            long id = completion.workRequestId();
            if (id == RECEIVE) {
                received++;
                postReceive();
            } else if (id == completed) {
                completed++;
            } else {
                throw new IllegalStateException("request " + id + " completed, not " + completed);
            }
        }
        return count;
    }

    /** All receives have the same memory: it is not read until the end. */
    private void postReceive() throws VerbsException {
        pair.post(receives.clear().receive(RECEIVE).sge(area.region(), area.inbox(), Math.max(size, Operation.NOTICE)));
    }

    long received() {
        return received;
    }

    long completed() {
        return completed;
    }

    /** Operations in flight. */
    long pending() {
        return posted - completed;
    }

    long posted() {
        return posted;
    }

    @Override
    public void close() throws VerbsException {
        pair.close();
        completions.close();
        area.close();
        domain.close();
        device.close();
    }
}
