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
package io.nettyrdma.stream;

import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * The parts of a stream that depend on how its bytes travel. They are of one stream, which releases them.
 *
 * @param path sends frames.
 * @param operations sends remote operations, in order with the frames.
 * @param receives where the peer's frames arrive.
 * @param debt what the headers of the path's frames advertise of {@code receives}.
 * @param outbound the progress of the messages, which frames and operations record.
 * @param metrics what the stream counts.
 */
public record StreamParts(FramePath path, RemoteOperations operations, ReceiveSource receives, CreditDebt debt,
                          OutboundMessages outbound, StreamMetrics metrics) {

    /**
     * Parts for a stream that has a queue pair of its own, and sends its frames as SENDs.
     *
     * @param queuePair created with the configuration {@link StreamConfig#queuePair}.
     * @param workRequestIds the owner of all work requests, see {@link WorkRequestId#ofOwner}.
     * @param counters the loop's.
     */
    public static StreamParts of(QueuePair queuePair, StreamMemory memory, StreamConfig config, long workRequestIds,
                                 RdmaCounters counters) {
        if ((int) workRequestIds != 0) {
            throw new IllegalArgumentException("no owner of work requests: " + Long.toHexString(workRequestIds));
        }
        OutboundMessages outbound = new OutboundMessages();
        CreditWindow credits = new CreditWindow();
        CreditDebt debt = new CreditDebt();
        StagingSlots staging = new StagingSlots(memory.staging());
        SendQueue queue = new SendQueue(queuePair, memory.batches(), staging, config, outbound, workRequestIds);
        return new StreamParts(
                new SendPath(queue, memory.staging(), staging, credits, debt, outbound, config.longestMessage()),
                new RemoteOperations(queue, memory.staging(), staging, credits, debt, memory.registered(), outbound,
                        config.longestMessage(), counters),
                new QueuePairReceives(queuePair, memory, config, workRequestIds), debt, outbound,
                new StreamMetrics(counters));
    }
}
