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

import io.nettyrdma.verbs.MemoryRegion;
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
import java.nio.ByteBuffer;

/** Many connections with one completion queue, all on one thread: some queue pairs send, and as many receive. */
final class QueuePairSet implements AutoCloseable {

    static final int BYTES = 64;
    /** Messages in flight on all connections together. */
    static final int WINDOW = 64;
    /** Messages that are measured together: a turn of the largest set. */
    private static final int SLICE = 256;
    private static final long SENT = -1;

    private final int count;
    private final RdmaDevice device;
    private final ProtectionDomain domain;
    private final Completions completions;
    private final MemoryRegion region;
    private final QueuePair[] senders;
    private final QueuePair[] receivers;
    private final SendBatch sends = new SendBatch(1, 1);
    private final ReceiveBatch receives = new ReceiveBatch(1, 1);
    private final Patience patience = new Patience();
    private final long setUpNanos;
    private long posted;
    private long sent;
    private long received;

    QueuePairSet(LocalPort port, int count) throws IOException {
        this.count = count;
        senders = new QueuePair[count];
        receivers = new QueuePair[count];
        // A connection has its share of the window, and the double for receives, which are posted again a little later.
        int depth = 2 * (WINDOW + count - 1) / count;
        device = port.open();
        domain = device.createProtectionDomain();
        completions = new Completions(device, 2 * depth * count);
        region = domain.register(ByteBuffer.allocateDirect(2 * BYTES), port.access());
        QueuePairConfig config = new QueuePairConfig(QueuePairType.RC, depth);
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            senders[i] = domain.createQueuePair(config, completions.queue(), completions.queue());
            receivers[i] = domain.createQueuePair(config, completions.queue(), completions.queue());
            port.connect(senders[i], receivers[i]);
        }
        setUpNanos = System.nanoTime() - start;
        for (int i = 0; i < depth * count; i++) {
            postReceive(i % count);
        }
    }

    /** Whether the device has so many. */
    static boolean fits(RdmaDevice device, int count) {
        return 2 * count <= device.limits().queuePairs() && 2 * WINDOW <= device.limits().workRequests()
                && 4 * (WINDOW + count) <= device.limits().completionQueueEntries();
    }

    /** The mean time to create and connect both queue pairs of a connection. */
    double setUpMicros() {
        return setUpNanos / 1000.0 / count;
    }

    /** Sends on all connections in turn. Returns messages/s. */
    double send(long nanos) throws VerbsException {
        Slices slices = new Slices(nanos);
        do {
            for (int i = 0; i < SLICE; i++) {
                pair().post(sends.clear().send(SENT).sge(region, 0, BYTES).signaled());
                posted++;
                while (posted - Math.min(sent, received) == WINDOW) {
                    poll();
                }
            }
        } while (slices.next());
        while (sent < posted || received < posted) {
            poll();
        }
        if (sent != posted || received != posted) {
            throw new IllegalStateException(posted + " posted, " + sent + " sent, " + received + " received");
        }
        return Rate.perSecond(SLICE, slices.micros());
    }

    private QueuePair pair() {
        return senders[(int) (posted % count)];
    }

    private void poll() throws VerbsException {
        int polled = completions.poll();
        patience.note(polled);
        for (int i = 0; i < polled; i++) {
            WorkCompletion completion = completions.get(i);
            long id = completion.workRequestId();
            if (id == SENT) {
                sent++;
            } else if (completion.byteLength() == BYTES) {
                received++;
                postReceive((int) id);
            } else {
                throw new IllegalStateException(completion.toString());
            }
        }
    }

    private void postReceive(int connection) throws VerbsException {
        receivers[connection].post(receives.clear().receive(connection).sge(region, BYTES, BYTES));
    }

    @Override
    public void close() throws VerbsException {
        for (int i = 0; i < count; i++) {
            senders[i].close();
            receivers[i].close();
        }
        completions.close();
        region.close();
        domain.close();
        device.close();
    }
}
