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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmQueuePair;
import io.nettyrdma.verbs.DeviceLimits;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Connects a given queue pair by rdma_cm, which is the only way on iWARP. */
final class CmLink implements AutoCloseable {

    /** The value that {@link Transitions} uses, if the device supports it. */
    private static final int MOST_READS = 16;

    private final QueuePair queuePair;
    private final CmEvents events;
    private CmId listener;
    private CmQueuePair connection;

    CmLink(QueuePair queuePair) throws Exception {
        this.queuePair = queuePair;
        events = new CmEvents();
    }

    InetSocketAddress listen() throws VerbsException {
        listener = events.listen(TestDevice.get().ip(), 1);
        return listener.localAddress();
    }

    void dial(InetSocketAddress listening, RcSettings settings) throws VerbsException {
        CmId id = events.create(CmPortSpace.TCP);
        CmSide.resolve(events, id, listening);
        prepare(id, settings);
        connection = CmSide.connect(events, connection, parameters(settings));
    }

    void accept(RcSettings settings) throws VerbsException {
        CmEvent request = events.awaitRequest(listener);
        prepare(request.newId(), settings);
        connection.accept(request, parameters(settings));
    }

    void establish() throws VerbsException {
        CmSide.establish(connection, events.await(connection.id()));
    }

    void awaitEstablished() throws VerbsException {
        events.await(connection.id(), CmEventType.ESTABLISHED);
        connection.established();
    }

    private void prepare(CmId id, RcSettings settings) throws VerbsException {
        connection = new CmQueuePair(id, queuePair);
        connection.prepare(settings.access().toArray(MemoryAccess[]::new));
    }

    private static CmConnectionParameters parameters(RcSettings settings) {
        DeviceLimits limits = TestDevice.get().device().limits();
        return CmConnectionParameters.DEFAULT
                .withReads(Math.min(limits.readsIn(), MOST_READS), Math.min(limits.readsOut(), MOST_READS))
                .withRetries(settings.retryCount(), settings.rnrRetry());
    }

    @Override
    public void close() throws IOException {
        events.close();
    }
}
