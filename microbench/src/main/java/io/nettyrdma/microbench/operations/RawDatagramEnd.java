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

import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;

/** A queue pair of datagrams and what it needs. */
final class RawDatagramEnd implements AutoCloseable {

    private static final int DEPTH = 64;
    private static final int QUEUE_KEY = 0x12345;
    /** What a receive of unreliable datagrams has in front of the payload. */
    private static final int HEADER = 40;
    private static final long RECEIVE = -1;

    private final RdmaDevice device;
    private final ProtectionDomain domain;
    private final Area area;
    private final Completions completions;
    private final QueuePair pair;
    private final AddressHandle handle;
    private final int received;
    private final SendBatch sends = new SendBatch(1, 1);
    private final ReceiveBatch receives = new ReceiveBatch(1, 1);

    /** @param size bytes of the longest datagram. */
    RawDatagramEnd(LocalPort port, int size) throws IOException {
        device = RdmaDevice.open(port.device());
        domain = device.createProtectionDomain();
        received = size + (port.datagrams() == QueuePairType.UD ? HEADER : 0);
        area = new Area(domain, port, received);
        completions = new Completions(device, 2 * DEPTH);
        pair = domain.createQueuePair(new QueuePairConfig(port.datagrams(), DEPTH), completions.queue(),
                completions.queue());
        pair.modify(new QueuePairAttributes().state(QueuePairState.INIT).partitionKeyIndex(0).port(port.number())
                .queueKey(QUEUE_KEY));
        for (int i = 0; i < DEPTH; i++) {
            postReceive();
        }
        pair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        pair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
        handle = domain.createAddressHandle(port.wayToItself());
    }

    /** All have the same memory: it is not read. */
    private void postReceive() throws VerbsException {
        pair.post(receives.clear().receive(RECEIVE).sge(area.region(), area.inbox(), received));
    }

    void send(int size, RawDatagramEnd to) throws VerbsException {
        pair.post(sends.clear().send(0).to(handle, to.pair.number(), QUEUE_KEY).sge(area.region(), area.source(), size)
                .signaled());
    }

    /** Takes what has completed. Returns how many datagrams have arrived. */
    int poll() throws VerbsException {
        int arrived = 0;
        int count = completions.poll();
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = completions.get(i);
            if (completion.workRequestId() == RECEIVE) {
                arrived++;
                postReceive();
            }
        }
        return arrived;
    }

    @Override
    public void close() throws VerbsException {
        pair.close();
        handle.close();
        completions.close();
        area.close();
        domain.close();
        device.close();
    }
}
