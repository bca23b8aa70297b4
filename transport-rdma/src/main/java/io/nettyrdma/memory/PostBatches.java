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
package io.nettyrdma.memory;

import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;

import java.util.ArrayDeque;

/**
 * The batches of work requests of one loop and device. A batch is empty between two posts, so all queue pairs of the
 * loop share them, and a connection has none of its own.
 *
 * <p>A flush may run code of the application, a file region's for instance, which may flush another channel of the
 * loop. So a send batch is taken and given back, and there may be several. Receives are posted without such a call.
 *
 * <p>Belongs to the event loop.
 */
public final class PostBatches {

    private final int capacity;
    private final int maxSge;
    private final ArrayDeque<SendBatch> sends = new ArrayDeque<>();
    private final ReceiveBatch receives;

    /**
     * @param capacity work requests of a batch.
     * @param maxSge SGEs of each send.
     */
    public PostBatches(int capacity, int maxSge) {
        this.capacity = capacity;
        this.maxSge = maxSge;
        receives = new ReceiveBatch(capacity, 1);
    }

    /** Work requests of a batch. */
    public int capacity() {
        return capacity;
    }

    /** An empty batch, the caller's until {@link #giveSends}. */
    public SendBatch takeSends() {
        SendBatch taken = sends.poll();
        return taken == null ? new SendBatch(capacity, maxSge) : taken;
    }

    public void giveSends(SendBatch batch) {
        sends.push(batch.clear());
    }

    /** An empty batch, the caller's until it has posted it. */
    public ReceiveBatch receives() {
        return receives.clear();
    }
}
