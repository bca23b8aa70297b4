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
package io.nettyrdma.cm;

import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.QueuePairType;

/**
 * The kind of service that an id connects ({@code enum rdma_port_space}), and the maximum bytes of private data in each
 * message of its handshake. The limits are those of InfiniBand and RoCE minus the bytes that rdma_cm itself uses.
 *
 * <pre>{@code
 *   active               TCP   UDP               passive
 *     | ---- request ----  56   180  -------------> |
 *     | <--- response --- 196   136  -------------- |   accept
 *     | <--- reject ----- 148   136  -------------- |   reject
 * }</pre>
 *
 * @since 0.1.0
 */
@UnstableApi
public enum CmPortSpace {
    /** Reliable connections. The ports are separate from TCP ports: both can use the same number. */
    TCP(0x0106, QueuePairType.RC, 56, 196, 148),
    /** Datagrams: the handshake returns the peer's queue pair number, Q_Key and address, but connects nothing. */
    UDP(0x0111, QueuePairType.UD, 180, 136, 136);

    private final int number;
    private final QueuePairType queuePairType;
    private final int maxRequestData;
    private final int maxResponseData;
    private final int maxRejectData;

    CmPortSpace(int number, QueuePairType queuePairType, int maxRequestData, int maxResponseData, int maxRejectData) {
        this.number = number;
        this.queuePairType = queuePairType;
        this.maxRequestData = maxRequestData;
        this.maxResponseData = maxResponseData;
        this.maxRejectData = maxRejectData;
    }

    int number() {
        return number;
    }

    /** {@return the type of queue pair for this port space} */
    public QueuePairType queuePairType() {
        return queuePairType;
    }

    /** {@return maximum bytes of private data of {@link CmId#connect}} */
    public int maxRequestData() {
        return maxRequestData;
    }

    /** {@return maximum bytes of private data of {@link CmId#accept}} */
    public int maxResponseData() {
        return maxResponseData;
    }

    /** {@return maximum bytes of private data of {@link CmId#reject}} */
    public int maxRejectData() {
        return maxRejectData;
    }
}
