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

import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairAttributes;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.VerbsException;

/** Moves queue pairs from RESET to RTS by hand, without a connection manager. */
public final class Transitions {

    /** 4.096 us times 2^14 is 67 ms: longer than a loaded emulator takes to answer, short enough to give up. */
    private static final int TIMEOUT = 14;
    /** 0.64 ms. */
    private static final int MIN_RNR_TIMER = 12;

    private Transitions() {
    }

    public static QueuePairAttributes toInit(RcSettings settings) {
        return new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .partitionKeyIndex(0)
                .port(TestDevice.get().port())
                .access(settings.access().toArray(MemoryAccess[]::new));
    }

    public static QueuePairAttributes toReadyToReceive(QueuePairAddress peer) {
        TestDevice device = TestDevice.get();
        int reads = Math.min(device.device().limits().readsIn(), 16);
        return new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(device.wayTo(peer.gid(), peer.lid()))
                .pathMtu(device.attributes().activeMtu())
                .destination(peer.number())
                .receivePsn(peer.psn())
                .maxDestRdAtomic(reads)
                .minRnrTimer(MIN_RNR_TIMER);
    }

    public static QueuePairAttributes toReadyToSend(RcSettings settings, int psn) {
        int reads = Math.min(TestDevice.get().device().limits().readsOut(), 16);
        return new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .timeout(TIMEOUT)
                .retryCount(settings.retryCount())
                .rnrRetry(settings.rnrRetry())
                .sendPsn(psn)
                .maxRdAtomic(reads);
    }

    /** Moves a datagram queue pair from RESET to RTS. */
    public static void activateDatagrams(QueuePair pair, int queueKey) throws VerbsException {
        pair.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .partitionKeyIndex(0)
                .port(TestDevice.get().port())
                .queueKey(queueKey));
        pair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        pair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
    }
}
