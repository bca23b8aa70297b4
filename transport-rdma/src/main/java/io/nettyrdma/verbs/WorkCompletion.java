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
import io.nettyrdma.jni.AbiLayout.WorkCompletionRecord;
import io.nettyrdma.jni.NativeMemory;

/**
 * A view of one completion ({@code struct ibv_wc}). It is valid until the queue is polled again, and the next call of
 * {@link CompletionQueue#completion} moves it to another completion. If the work request failed, only {@link
 * #workRequestId}, {@link #status}, {@link #queuePairNumber} and {@link #vendorError} are defined. For the thread that
 * polls the queue.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class WorkCompletion {

    private static final int GLOBAL_ROUTING_HEADER = 1;
    private static final int WITH_IMMEDIATE = 2;
    private static final int WITH_SENDER_GID = 128;

    private final NativeMemory completions;
    /** Where the GIDs begin, of which each completion has one. */
    private final int gids;
    private int base;

    WorkCompletion(NativeMemory completions, int batch) {
        this.completions = completions;
        gids = batch * WorkCompletionRecord.SIZE;
    }

    WorkCompletion wrap(int index) {
        base = index * WorkCompletionRecord.SIZE;
        return this;
    }

    /** {@return the id of the work request, as given when it was posted} */
    public long workRequestId() {
        return completions.u64(base + WorkCompletionRecord.WR_ID);
    }

    /** {@return whether the work request has succeeded} */
    public boolean isSuccess() {
        return completions.u8(base + WorkCompletionRecord.STATUS) == 0;
    }

    /** {@return how the work request ended} */
    public WorkCompletionStatus status() {
        return WorkCompletionStatus.of(completions.u8(base + WorkCompletionRecord.STATUS));
    }

    /** {@return the number of the local queue pair, 24 bits} */
    public int queuePairNumber() {
        return completions.u32(base + WorkCompletionRecord.QP_NUM);
    }

    /** {@return the vendor's error code; 0 on success} */
    public int vendorError() {
        return isSuccess() ? 0 : completions.u32(base + WorkCompletionRecord.IMM_OR_VENDOR_ERR);
    }

    /** {@return what the work request was} Defined only on success. */
    public WorkCompletionOpcode opcode() {
        assert isSuccess() : "verbs define no opcode of a failed completion";
        return WorkCompletionOpcode.of(completions.u8(base + WorkCompletionRecord.OPCODE));
    }

    /**
     * {@return the number of bytes received} For a datagram this includes the 40 bytes of the GRH; for a write with
     * immediate data it is the number of bytes written.
     */
    public int byteLength() {
        assert isSuccess() : "verbs define no length of a failed completion";
        return completions.u32(base + WorkCompletionRecord.BYTE_LEN);
    }

    /** {@return whether there is immediate data} Only of a completion that {@link #isSuccess}. */
    public boolean hasImmediate() {
        assert isSuccess() : "verbs define no flags of a failed completion";
        return (completions.u8(base + WorkCompletionRecord.FLAGS) & WITH_IMMEDIATE) != 0;
    }

    /**
     * {@return the immediate data, with the same value that the peer posted} Defined only if {@link #hasImmediate}.
     */
    public int immediate() {
        assert hasImmediate();
        return completions.u32(base + WorkCompletionRecord.IMM_OR_VENDOR_ERR);
    }

    /**
     * {@return whether the first 40 bytes of a received datagram hold a valid GRH} They are reserved for it in any
     * case.
     */
    public boolean hasGlobalRoutingHeader() {
        return isSuccess() && (completions.u8(base + WorkCompletionRecord.FLAGS) & GLOBAL_ROUTING_HEADER) != 0;
    }

    /** {@return the sender's queue pair number; datagrams only} */
    public int sourceQueuePair() {
        return completions.u32(base + WorkCompletionRecord.SRC_QP);
    }

    /**
     * {@return the sender's LID; datagrams only} On EFA the {@link AddressHandle#number} of the receiver's address
     * handles for the sender, or 0xffff if its protection domain has none.
     */
    public int sourceLid() {
        return completions.u16(base + WorkCompletionRecord.SLID);
    }

    /**
     * {@return the GID of a sender that {@link #sourceLid} does not name, because the receiver has no address handle
     * for it} {@code null} if it has one, if this is no received datagram, and on queues without {@link
     * CompletionQueue#hasSenderGids}. Unlike the other methods this one allocates: an address handle for the sender
     * makes it unnecessary.
     */
    public Gid sourceGid() {
        if ((completions.u8(base + WorkCompletionRecord.FLAGS) & WITH_SENDER_GID) == 0) {
            return null;
        }
        return new Gid(completions.bytes(gids + base / WorkCompletionRecord.SIZE * Gid.LENGTH, Gid.LENGTH));
    }

    /** A description for logs. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("work request 0x").append(Long.toHexString(workRequestId()))
                .append(" of queue pair 0x").append(Integer.toHexString(queuePairNumber()))
                .append(": ").append(status());
        if (isSuccess()) {
            return text.append(' ').append(opcode()).append(", ").append(byteLength()).append(" bytes").toString();
        }
        return text.append(" (").append(status().meaning()).append("), vendor error 0x")
                .append(Integer.toHexString(vendorError())).toString();
    }
}
