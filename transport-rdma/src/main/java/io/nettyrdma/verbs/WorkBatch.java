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

import io.nettyrdma.jni.AbiLayout.ScatterGatherRecord;
import io.nettyrdma.jni.NativeMemory;

/**
 * Work requests in consecutive native memory, which one native call posts. Each is a header followed by its SGEs:
 *
 * <pre>
 *   | header | SGE | SGE | header | SGE | header | ...
 *                        ^ request      ^ end
 * </pre>
 *
 * A batch can be posted any number of times until it is cleared. Not thread-safe.
 */
abstract class WorkBatch {

    private final int headerSize;
    private final int capacity;
    private final int maxSge;
    private int end;
    private int size;
    private int sgeCount;
    private int mostSge;
    private ProtectionDomain protectionDomain;

    /** The memory that is posted. */
    final NativeMemory records;
    /** Offset of the current request's header. */
    int request;

    WorkBatch(int capacity, int maxSge, int headerSize) {
        if (capacity <= 0 || maxSge <= 0) {
            throw new IllegalArgumentException("a batch needs room for at least one work request with one SGE, not "
                    + capacity + " of " + maxSge);
        }
        long requestSize = headerSize + (long) maxSge * ScatterGatherRecord.SIZE;
        if (requestSize > Integer.MAX_VALUE / capacity) {
            throw new IllegalArgumentException("a batch must be smaller than 2 GiB, not " + capacity
                    + " work requests of " + maxSge + " SGEs, " + requestSize + " bytes each");
        }
        this.capacity = capacity;
        this.maxSge = maxSge;
        this.headerSize = headerSize;
        records = new NativeMemory(capacity * (int) requestSize);
    }

    /** {@return the number of work requests in the batch} */
    public final int size() {
        return size;
    }

    /** {@return maximum number of work requests in the batch} */
    public final int capacity() {
        return capacity;
    }

    /** {@return whether there is no room for another work request} */
    public final boolean isFull() {
        return size == capacity;
    }

    void reset() {
        end = 0;
        size = 0;
        sgeCount = 0;
        mostSge = 0;
        protectionDomain = null;
    }

    final long address() {
        return records.address();
    }

    /** Begins a request. Its header, at {@link #request}, is zeroed. */
    final void beginRequest() {
        if (size == capacity) {
            throw new IllegalStateException("the batch is full: it has room for " + capacity + " work requests");
        }
        request = end;
        end += headerSize;
        size++;
        sgeCount = 0;
        for (int offset = request; offset < end; offset += Long.BYTES) {
            records.putU64(offset, 0);
        }
    }

    final int sgeCount() {
        return sgeCount;
    }

    /** Checks a range of a memory region and returns its address. */
    final long checked(MemoryRegion region, long offset, int length) {
        long address = region.addressOf(offset, length);
        belongsTo(region.protectionDomain(), region);
        return address;
    }

    /** Checks that all objects of the batch have one protection domain. Posting compares it with the queue's. */
    final void belongsTo(ProtectionDomain domain, VerbsObject object) {
        if (protectionDomain == null) {
            protectionDomain = domain;
        } else if (protectionDomain != domain) {
            throw new IllegalArgumentException(object + " is of " + domain + ", the batch of " + protectionDomain);
        }
    }

    final void addSge(long address, int length, int localKey) {
        if (size == 0) {
            throw new IllegalStateException("begin a work request before adding an SGE");
        }
        if (address == 0) {
            throw new IllegalArgumentException("an SGE cannot be at the null address");
        }
        if (length < 0) {
            throw new IllegalArgumentException("an SGE cannot have " + length + " bytes");
        }
        if (sgeCount == maxSge) {
            throw new IllegalStateException("the work request is full: the batch has room for " + maxSge
                    + " SGEs each");
        }
        records.putU64(end + ScatterGatherRecord.ADDR, address)
                .putU32(end + ScatterGatherRecord.LENGTH, length)
                .putU32(end + ScatterGatherRecord.LKEY, localKey);
        end += ScatterGatherRecord.SIZE;
        sgeCount++;
        mostSge = Math.max(mostSge, sgeCount);
    }

    /** Throws if the queue cannot take the batch, before the device sees any of it. */
    final void checkFor(VerbsObject queue, ProtectionDomain queueDomain, int queueDepth, int queueSge) {
        if (size == 0 || size > queueDepth || mostSge > queueSge
                || protectionDomain != null && protectionDomain != queueDomain) {
            throw refusal(queue, queueDomain, queueDepth, queueSge);
        }
    }

    private IllegalArgumentException refusal(VerbsObject queue, ProtectionDomain queueDomain, int queueDepth,
                                             int queueSge) {
        if (size == 0) {
            return new IllegalArgumentException("the batch for " + queue + " is empty");
        }
        if (size > queueDepth) {
            return new IllegalArgumentException("the batch has " + size + " work requests, " + queue + " holds "
                    + queueDepth);
        }
        if (mostSge > queueSge) {
            return new IllegalArgumentException("a work request has " + mostSge + " SGEs, " + queue + " takes "
                    + queueSge);
        }
        return new IllegalArgumentException("the batch is of " + protectionDomain + ", " + queue + " of "
                + queueDomain);
    }
}
