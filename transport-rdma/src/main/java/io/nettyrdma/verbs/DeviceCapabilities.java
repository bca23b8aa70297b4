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

/**
 * What a device can do, found out by trying and not by its name. Where a fallback is forced by {@link Fallbacks} the
 * ability is absent here too.
 *
 * @param extendedCompletionQueue {@code ibv_create_cq_ex} works.
 * @param singleThreadedQueue completion queues can be marked as one thread's.
 * @param extendedQueuePair {@code ibv_wr_*} works.
 * @param completionEvents completion queues can wait on a channel; else they can only be polled.
 * @param immediate sends and writes may carry 32 bits; never assumed of iWARP.
 * @param unsignaledSends the completion of a send says that the device has read the memory of all before it. Never
 *        assumed of iWARP: the kernel's siw copies sends that are signaled, and no others; of a page or more TCP reads
 *        the memory whenever it sends it, which may be after the completion of what follows (siw_qp_tx.c).
 * @param nonBlockingConnect {@code rdma_connect} returns at once. Never assumed of iWARP: the kernel's siw waits in it
 *        for the handshake of TCP, which a silent host makes some two minutes (siw_connect, siw_cm.c).
 * @param relaxedOrdering memory can be registered with {@link MemoryAccess#RELAXED_ORDERING}; whether that changes
 *        anything the device alone knows.
 * @param reliableConnection RC queue pairs exist.
 * @param maxInline bytes that an RC queue pair with one send SGE was granted inline at most.
 * @param efa what only EFA has; {@code null} on other devices.
 */
public record DeviceCapabilities(boolean extendedCompletionQueue, boolean singleThreadedQueue,
                                 boolean extendedQueuePair, boolean sharedReceiveQueue, boolean completionEvents,
                                 boolean immediate, boolean unsignaledSends,
                                 boolean nonBlockingConnect, boolean atomics, boolean relaxedOrdering,
                                 boolean reliableConnection, int maxInline, int maxSendSge,
                                 int maxReceiveSge, EfaLimits efa) {
}
