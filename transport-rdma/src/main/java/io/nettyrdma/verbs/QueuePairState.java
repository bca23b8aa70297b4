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
 * States of a queue pair ({@code enum ibv_qp_state}, in the same order) and the transitions that verbs allow.
 *
 * <pre>
 *   RESET --> INIT --> RTR --> RTS &lt;--> SQD          from every state: --> RESET, --> ERR
 *             ^  |             ^ |
 *             +--+             | +--device--> SQE    (datagrams: a send failed)
 *                              +--------------+
 * </pre>
 *
 * The device itself moves a queue pair into SQE and ERR.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum QueuePairState {
    /** Nothing may be posted. */
    RESET,
    /** Receives may be posted; nothing is processed. */
    INIT,
    /** Ready to receive. */
    RTR,
    /** Ready to send. */
    RTS,
    /** Send queue drained. */
    SQD,
    /** Send queue error. */
    SQE,
    /** Error: all posted work requests are flushed. */
    ERR;

    private static final QueuePairState[] VALUES = values();

    boolean mayBecome(QueuePairState next) {
        return next == RESET || next == ERR || successors().contains(next);
    }

    /** {@return whether receives may be posted} */
    public boolean acceptsReceives() {
        return this != RESET;
    }

    /** {@return whether sends may be posted} */
    public boolean acceptsSends() {
        return ordinal() >= RTS.ordinal();
    }

    static QueuePairState of(int number) {
        return VALUES[number];
    }

    private Set<QueuePairState> successors() {
        switch (this) {
        case RESET:
            return EnumSet.of(INIT);
        case INIT:
            return EnumSet.of(INIT, RTR);
        case RTR:
            return EnumSet.of(RTS);
        case RTS:
        case SQD:
            return EnumSet.of(RTS, SQD);
        case SQE:
            return EnumSet.of(RTS);
        default:
            return EnumSet.noneOf(QueuePairState.class);
        }
    }
}
