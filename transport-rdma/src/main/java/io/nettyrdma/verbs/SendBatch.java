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
import io.nettyrdma.jni.AbiLayout.SendRecord;

/**
 * Send work requests that are posted together:
 *
 * <pre>
 *   batch.clear().send(id1).sge(region, 0, 100).inline()
 *                .write(id2, remoteAddress, remoteKey).sge(region, 4096, 8192).signaled();
 *   queuePair.post(batch);
 * </pre>
 *
 * A request starts with its operation, followed by its SGEs of local memory and then its flags. An unsignaled operation
 * raises no completion on success, and keeps its entry of the send queue until a later signaled one completes. Not
 * thread-safe.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class SendBatch extends WorkBatch {

    private static final int FENCE = 1;
    private static final int SIGNALED = 1 << 1;
    private static final int SOLICITED = 1 << 2;
    private static final int INLINE = 1 << 3;
    private static final int ATOMIC_BYTES = 8;

    private SendOpcode opcode;
    private int flags;
    private long bytes;
    private boolean addressed;

    private int opcodes;
    private long mostInline;
    private int datagrams;

    /**
     * @param capacity maximum number of work requests.
     * @param maxSge maximum number of SGEs of each work request.
     */
    public SendBatch(int capacity, int maxSge) {
        super(capacity, maxSge, SendRecord.SIZE);
    }

    /**
     * Removes all work requests, so that the batch can be filled again.
     *
     * @return this.
     */
    public SendBatch clear() {
        reset();
        opcodes = 0;
        mostInline = 0;
        datagrams = 0;
        return this;
    }

    /**
     * Begins a send, which consumes one of the peer's receives.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @return this.
     */
    public SendBatch send(long workRequestId) {
        return begin(SendOpcode.SEND, workRequestId);
    }

    /**
     * Begins a send that carries 32 bits of immediate data.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @param immediate for the peer's completion.
     * @return this.
     */
    public SendBatch sendWithImmediate(long workRequestId, int immediate) {
        return begin(SendOpcode.SEND_WITH_IMMEDIATE, workRequestId).immediate(immediate);
    }

    /**
     * Writes the local memory to the peer's memory. The peer gets no completion.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @param remoteAddress in the peer's region.
     * @param remoteKey the rkey of the region.
     * @return this.
     */
    public SendBatch write(long workRequestId, long remoteAddress, int remoteKey) {
        return begin(SendOpcode.RDMA_WRITE, workRequestId).remote(remoteAddress, remoteKey);
    }

    /**
     * Writes the local memory to the peer's memory, then consumes one of the peer's receives to notify it.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @param remoteAddress in the peer's region.
     * @param remoteKey the rkey of the region.
     * @param immediate for the peer's completion.
     * @return this.
     */
    public SendBatch writeWithImmediate(long workRequestId, long remoteAddress, int remoteKey, int immediate) {
        return begin(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, workRequestId).remote(remoteAddress, remoteKey)
                .immediate(immediate);
    }

    /**
     * Reads the peer's memory into local memory.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @param remoteAddress in the peer's region.
     * @param remoteKey the rkey of the region.
     * @return this.
     */
    public SendBatch read(long workRequestId, long remoteAddress, int remoteKey) {
        return begin(SendOpcode.RDMA_READ, workRequestId).remote(remoteAddress, remoteKey);
    }

    /**
     * Sets 8 aligned bytes of the peer's memory to {@code swap} if they equal {@code compare}. The previous value is
     * written to the request's only SGE, which must have 8 bytes, in this machine's byte order.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @param remoteAddress in the peer's region; 8 divides it.
     * @param remoteKey the rkey of the region.
     * @param compare the expected value.
     * @param swap the new value.
     * @return this.
     */
    public SendBatch compareAndSwap(long workRequestId, long remoteAddress, int remoteKey, long compare, long swap) {
        checkAligned(SendOpcode.COMPARE_AND_SWAP, remoteAddress);
        begin(SendOpcode.COMPARE_AND_SWAP, workRequestId).remote(remoteAddress, remoteKey);
        records.putU64(request + SendRecord.COMPARE_ADD_OR_AH, compare)
                .putU64(request + SendRecord.SWAP_OR_QKEY, swap);
        return this;
    }

    /**
     * Adds {@code add} to 8 aligned bytes of the peer's memory. The previous value is written to the request's only
     * SGE, which must have 8 bytes, in this machine's byte order.
     *
     * @param workRequestId any 64 bits; the completion returns them.
     * @param remoteAddress in the peer's region; 8 divides it.
     * @param remoteKey the rkey of the region.
     * @param add the summand.
     * @return this.
     */
    public SendBatch fetchAndAdd(long workRequestId, long remoteAddress, int remoteKey, long add) {
        checkAligned(SendOpcode.FETCH_AND_ADD, remoteAddress);
        begin(SendOpcode.FETCH_AND_ADD, workRequestId).remote(remoteAddress, remoteKey);
        records.putU64(request + SendRecord.COMPARE_ADD_OR_AH, add);
        return this;
    }

    /**
     * Sets the destination of the current datagram.
     *
     * @param handle the way to the peer.
     * @param queuePairNumber of the peer, 24 bits.
     * @param queueKey what the peer's queue pair expects.
     * @return this.
     */
    public SendBatch to(AddressHandle handle, int queuePairNumber, int queueKey) {
        checkBegun();
        belongsTo(handle.protectionDomain(), handle);
        records.putU64(request + SendRecord.COMPARE_ADD_OR_AH, handle.handle())
                .putU32(request + SendRecord.REMOTE_QPN, queuePairNumber)
                .putU64(request + SendRecord.SWAP_OR_QKEY, Integer.toUnsignedLong(queueKey));
        if (!addressed) {
            addressed = true;
            datagrams++;
        }
        return this;
    }

    /**
     * Adds an SGE: the data to send or write, or the memory for the result of a read or atomic.
     *
     * @param region of the queue pair's protection domain.
     * @param offset in the region.
     * @param length bytes.
     * @return this.
     */
    public SendBatch sge(MemoryRegion region, long offset, int length) {
        checkBegun();
        if ((opcode == SendOpcode.RDMA_READ || opcode.isAtomic) && !region.allows(MemoryAccess.LOCAL_WRITE)) {
            throw new IllegalArgumentException(region + " does not allow LOCAL_WRITE, which " + opcode + " requires");
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
    public SendBatch sge(long address, int length, int localKey) {
        addSge(address, length, localKey);
        records.putU16(request + SendRecord.NUM_SGE, sgeCount());
        bytes += length;
        return countInline();
    }

    /**
     * Requests a completion on success. A failed work request always completes.
     *
     * @return this.
     */
    public SendBatch signaled() {
        return flag(SIGNALED);
    }

    /**
     * Raises an event at a peer that armed its completion queue for solicited completions only.
     *
     * @return this.
     */
    public SendBatch solicited() {
        return flag(SOLICITED);
    }

    /**
     * Delays the request until all earlier reads and atomics of this queue are complete.
     *
     * @return this.
     */
    public SendBatch fence() {
        return flag(FENCE);
    }

    /**
     * Copies the data into the work request at posting: the memory need not be registered and can be reused then.
     *
     * @return this.
     */
    public SendBatch inline() {
        checkBegun();
        if (!opcode.allowsInline) {
            throw new IllegalStateException(opcode + " cannot be inline");
        }
        return flag(INLINE).countInline();
    }

    /** Validates the last request. Called before the next request begins and before posting. */
    void seal() {
        if (size() > 0 && opcode.isAtomic && (sgeCount() != 1 || bytes != ATOMIC_BYTES)) {
            throw new IllegalStateException(opcode + " needs one SGE of 8 bytes, it has " + sgeCount() + " of " + bytes
                    + " bytes in total");
        }
    }

    /** The {@link SendOpcode#bit}s of all requests. */
    int opcodes() {
        return opcodes;
    }

    /** Bytes of the largest inline request; 0 if there is none. */
    long mostInline() {
        return mostInline;
    }

    /** Number of requests that have their own destination. */
    int datagrams() {
        return datagrams;
    }

    private SendBatch begin(SendOpcode operation, long workRequestId) {
        seal();
        beginRequest();
        opcode = operation;
        flags = 0;
        bytes = 0;
        addressed = false;
        opcodes |= operation.bit;
        records.putU64(request + SendRecord.WR_ID, workRequestId)
                .putU8(request + SendRecord.OPCODE, operation.number);
        return this;
    }

    private SendBatch immediate(int immediate) {
        records.putU32(request + SendRecord.IMM, immediate);
        return this;
    }

    private SendBatch remote(long address, int key) {
        records.putU64(request + SendRecord.REMOTE_ADDR, address).putU32(request + SendRecord.RKEY, key);
        return this;
    }

    /** Called before the request begins, so that a refused request leaves nothing in the batch. */
    private static void checkAligned(SendOpcode atomic, long address) {
        if ((address & ATOMIC_BYTES - 1) != 0) {
            throw new IllegalArgumentException(atomic + " needs an address that is a multiple of 8, not 0x"
                    + Long.toHexString(address));
        }
    }

    private SendBatch flag(int flag) {
        checkBegun();
        flags |= flag;
        records.putU8(request + SendRecord.FLAGS, flags);
        return this;
    }

    private SendBatch countInline() {
        if ((flags & INLINE) != 0) {
            mostInline = Math.max(mostInline, bytes);
        }
        return this;
    }

    private void checkBegun() {
        if (size() == 0) {
            throw new IllegalStateException("begin a work request first");
        }
    }
}
