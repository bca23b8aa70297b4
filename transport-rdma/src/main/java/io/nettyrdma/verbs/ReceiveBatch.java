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
import io.nettyrdma.jni.AbiLayout.ReceiveRecord;

/**
 * Receive work requests that are posted together:
 *
 * <pre>
 *   batch.clear().receive(id1).sge(region, 0, 8192)
 *                .receive(id2).sge(region, 8192, 8192);
 *   queuePair.post(batch);
 * </pre>
 *
 * Each receive needs at least one SGE: some devices refuse a receive without one, others never complete it. Not
 * thread-safe.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class ReceiveBatch extends WorkBatch {

    /**
     * @param capacity maximum number of work requests.
     * @param maxSge maximum number of SGEs of each work request.
     */
    public ReceiveBatch(int capacity, int maxSge) {
        super(capacity, maxSge, ReceiveRecord.SIZE);
    }

    /**
     * Removes all receives, so that the batch can be filled again.
     *
     * @return this.
     */
    public ReceiveBatch clear() {
        reset();
        return this;
    }

    /**
     * Begins a receive. Its completion returns {@code workRequestId}.
     *
     * @param workRequestId any 64 bits.
     * @return this.
     */
    public ReceiveBatch receive(long workRequestId) {
        seal();
        beginRequest();
        records.putU64(request + ReceiveRecord.WR_ID, workRequestId);
        return this;
    }

    /**
     * Adds an SGE: memory for the message.
     *
     * @param region of the queue's protection domain.
     * @param offset in the region.
     * @param length bytes.
     * @return this.
     */
    public ReceiveBatch sge(MemoryRegion region, long offset, int length) {
        if (!region.allows(MemoryAccess.LOCAL_WRITE)) {
            throw new IllegalArgumentException(region + " does not allow LOCAL_WRITE, which a receive requires");
        }
        long address = checked(region, offset, length);
        return sge(address, length, region.localKey());
    }

    /**
     * Adds an SGE by lkey. Only the device checks whether the access is allowed.
     *
     * @param address of the first byte.
     * @param length bytes.
     * @param localKey the lkey of a region that contains them.
     * @return this.
     */
    public ReceiveBatch sge(long address, int length, int localKey) {
        addSge(address, length, localKey);
        records.putU32(request + ReceiveRecord.NUM_SGE, sgeCount());
        return this;
    }

    /** Validates the last request. Called before the next request begins and before posting. */
    void seal() {
        if (size() > 0 && sgeCount() == 0) {
            throw new IllegalStateException("a receive needs at least one SGE");
        }
    }
}
