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

import io.nettyrdma.jni.AbiLayout.WorkCompletionRecord;
import io.nettyrdma.jni.NativeMemory;

/**
 * A view of one completion in its queue's array: valid until the queue is polled again, and moved to another
 * completion by the next {@link CompletionQueue#completion}. Of a failed completion only {@link #workRequestId},
 * {@link #status}, {@link #queuePairNumber} and {@link #vendorError} mean anything.
 */
public final class WorkCompletion {

    private static final int GLOBAL_ROUTING_HEADER = 1;
    private static final int WITH_IMMEDIATE = 2;

    private final NativeMemory completions;
    private int base;

    WorkCompletion(NativeMemory completions) {
        this.completions = completions;
    }

    WorkCompletion wrap(int index) {
        base = index * WorkCompletionRecord.SIZE;
        return this;
    }

    /** The 64 bits that were given to the work request. */
    public long workRequestId() {
        return completions.u64(base + WorkCompletionRecord.WR_ID);
    }

    public boolean isSuccess() {
        return completions.u8(base + WorkCompletionRecord.STATUS) == 0;
    }

    public WorkCompletionStatus status() {
        return WorkCompletionStatus.of(completions.u8(base + WorkCompletionRecord.STATUS));
    }

    /** Number of the local queue pair, 24 bits. */
    public int queuePairNumber() {
        return completions.u32(base + WorkCompletionRecord.QP_NUM);
    }

    /** The device's own code of a failure; 0 on success. */
    public int vendorError() {
        return isSuccess() ? 0 : completions.u32(base + WorkCompletionRecord.IMM_OR_VENDOR_ERR);
    }

    public WorkCompletionOpcode opcode() {
        assert isSuccess() : "verbs define no opcode of a failed completion";
        return WorkCompletionOpcode.of(completions.u8(base + WorkCompletionRecord.OPCODE));
    }

    /** Received bytes, the 40 of a datagram's GRH included; of an immediate write, the bytes written. */
    public int byteLength() {
        assert isSuccess() : "verbs define no length of a failed completion";
        return completions.u32(base + WorkCompletionRecord.BYTE_LEN);
    }

    public boolean hasImmediate() {
        return isSuccess() && (completions.u8(base + WorkCompletionRecord.FLAGS) & WITH_IMMEDIATE) != 0;
    }

    /** The peer's 32 bits, as the peer's program saw them; only if {@link #hasImmediate}. */
    public int immediate() {
        assert hasImmediate();
        return completions.u32(base + WorkCompletionRecord.IMM_OR_VENDOR_ERR);
    }

    /** Whether the first 40 bytes of a received datagram are a valid GRH (they are reserved in any case). */
    public boolean hasGlobalRoutingHeader() {
        return isSuccess() && (completions.u8(base + WorkCompletionRecord.FLAGS) & GLOBAL_ROUTING_HEADER) != 0;
    }

    /** The sender's queue pair number; datagrams only. */
    public int sourceQueuePair() {
        return completions.u32(base + WorkCompletionRecord.SRC_QP);
    }

    /** The sender's LID, on EFA its address handle number; datagrams only. */
    public int sourceLid() {
        return completions.u16(base + WorkCompletionRecord.SLID);
    }

    /** For logs. */
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
