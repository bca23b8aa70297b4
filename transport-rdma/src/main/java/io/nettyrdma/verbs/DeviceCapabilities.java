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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;

/**
 * What a device can do. The capabilities are probed, not derived from the device's name. A capability that
 * {@link Fallbacks} switches off is reported as absent.
 *
 * @param extendedCompletionQueue {@code ibv_create_cq_ex} works.
 * @param singleThreadedQueue completion queues can be created as single-threaded.
 * @param senderGids completion queues can be created with {@link CompletionQueueConfig#senderGids}; EFA only.
 * @param extendedQueuePair {@code ibv_wr_*} works.
 * @param completionEvents completion queues can use a completion channel; otherwise they can only be polled.
 * @param immediate sends and writes may carry 32 bits of immediate data; never assumed for iWARP.
 * @param unsignaledSends the completion of a send implies that the device has read the memory of all earlier sends.
 *        Never assumed for iWARP: the kernel's siw copies signaled sends only. For a page or more, TCP reads the
 *        memory when it transmits, which may be after the completion of a later send (siw_qp_tx.c).
 * @param nonBlockingConnect {@code rdma_connect} returns at once. Never assumed for iWARP: the kernel's siw waits
 *        there for the TCP handshake, about two minutes if the host does not answer (siw_connect, siw_cm.c).
 * @param confirmedDelivery the completion of a send implies that the peer's device has the message. Never assumed for
 *        iWARP, where it implies that this host's TCP has taken it. Then a stream asks its peer, with a PING behind
 *        FIN.
 * @param acceptingSideFirst the accepting side may send before the connecting side has. Never assumed for iWARP.
 * @param localReads an RDMA read writes to memory that only this side may write to. Never assumed for iWARP, where the
 *        peer needs write access.
 * @param relaxedOrdering memory can be registered with {@link MemoryAccess#RELAXED_ORDERING}. A device may accept the
 *        flag and ignore it.
 * @param reliableConnection RC queue pairs exist.
 * @param maxInline the most inline bytes that the device granted an RC queue pair with one send SGE, or an SRD queue
 *        pair where there are no RC queue pairs.
 * @param efa limits that only EFA devices have; {@code null} for other devices.
 * @since 0.1.0
 */
@UnstableApi
public record DeviceCapabilities(boolean extendedCompletionQueue, boolean singleThreadedQueue, boolean senderGids,
                                 boolean extendedQueuePair, boolean sharedReceiveQueue, boolean completionEvents,
                                 boolean immediate, boolean unsignaledSends,
                                 boolean nonBlockingConnect, boolean confirmedDelivery,
                                 boolean acceptingSideFirst, boolean localReads,
                                 boolean atomics, boolean relaxedOrdering,
                                 boolean reliableConnection, int maxInline, int maxSendSge,
                                 int maxReceiveSge, EfaLimits efa) {

    /** {@return what datagrams of type UD are like, if the device has them} */
    public DatagramCapabilities datagrams() {
        return efa == null ? DatagramCapabilities.ROUTED : EfaLimits.DATAGRAMS;
    }
}
