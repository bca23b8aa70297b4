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

import java.util.EnumSet;
import java.util.Set;

/**
 * The transport service of a queue pair ({@code enum ibv_qp_type}).
 *
 * @since 0.1.0
 */
@UnstableApi
public enum QueuePairType {
    /** Reliable connection: one peer, in order, all operations. */
    RC(2, EnumSet.allOf(SendOpcode.class)),
    /** Unreliable datagram: any peer, one packet per message; received data starts with 40 bytes of GRH. */
    UD(4, EnumSet.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMMEDIATE)),
    /**
     * Scalable reliable datagram of EFA: any peer, messages up to {@link PortAttributes#maxMessageBytes}, RDMA writes
     * and reads if the device has them. Delivered once, in any order; an error fails its work request alone.
     */
    SRD(0xff, EnumSet.range(SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ));

    private final int number;
    private final int opcodes;

    QueuePairType(int number, Set<SendOpcode> opcodes) {
        this.number = number;
        int bits = 0;
        for (SendOpcode opcode : opcodes) {
            bits |= opcode.bit;
        }
        this.opcodes = bits;
    }

    String createCall() {
        return this == SRD ? "efadv_create_qp_ex" : "ibv_create_qp";
    }

    int number() {
        return number;
    }

    /** {@return whether every work request names its recipient} */
    public boolean isDatagram() {
        return this != RC;
    }

    /** The {@link SendOpcode#bit}s of the operations that can be posted. */
    int opcodes() {
        return opcodes;
    }
}
