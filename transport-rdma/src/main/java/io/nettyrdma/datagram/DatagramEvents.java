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

import io.netty.buffer.ByteBuf;
import io.nettyrdma.annotation.UnstableApi;

import java.io.IOException;

/**
 * What a {@link DatagramHandle} and its queue pair report to their channel, on the loop's thread: when the loop
 * dispatches to the handle, from within {@link DatagramQueuePair#flush} or {@link DatagramQueuePair#replenish}, or from
 * a timer of the queue pair. The channel may close the queue pair meanwhile. The calls must not throw.
 *
 * @since 0.1.0
 */
@UnstableApi
public interface DatagramEvents {

    /**
     * A datagram has arrived. It counts as unread until {@link DatagramQueuePair#read}.
     *
     * @param payload the caller's reference goes to the channel.
     * @param sender may be {@link DatagramAddress#isUnknown}.
     */
    void received(ByteBuf payload, DatagramAddress sender);

    /**
     * The write of a peer is complete. Its immediate counts as unread until {@link DatagramQueuePair#read}.
     *
     * @param immediate with the sender.
     */
    void received(DatagramImmediate immediate);

    /** A batch of completions was taken: the channel reads what it has received. */
    void batchReceived();

    /**
     * Some of what was flushed may have ended.
     *
     * @param datagrams how many have not ended.
     * @param bytes their bytes.
     */
    void pending(int datagrams, long bytes);

    /**
     * The queue pair cannot be used any more. Comes once at most, and not after {@link DatagramQueuePair#leave}.
     *
     * @param cause the reason.
     */
    void failed(IOException cause);

    /** The loop ends: the channel closes itself. */
    void loopEnds();
}
