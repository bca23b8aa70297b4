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
package io.nettyrdma.metrics;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Numbers of a loop that go up and down, each with the question that it answers.
 *
 * @since 0.1.0
 */
@UnstableApi
public enum RdmaGauge {

    /** Connections before their handshake has ended. */
    CONNECTIONS_OPENING,

    /** Connections of open channels. */
    CONNECTIONS_OPEN,

    /** Connections of closed channels that still send what was flushed before the close. */
    CONNECTIONS_DRAINING,

    /** Connections of closed channels that have sent everything and wait for the last acknowledgements. */
    CONNECTIONS_DEPARTING,

    /** Server channels. */
    LISTENERS,

    /** Datagram channels. */
    DATAGRAM_CHANNELS,

    /** Which connections wait for their peers now? Those of {@link RdmaCounter#CREDIT_STALLS} that are not over. */
    CREDIT_STALLED,

    /** Which connections wait for the device now? Those of {@link RdmaCounter#QUEUE_STALLS} that are not over. */
    QUEUE_STALLED,

    /** How full are the send queues? Messages and remote operations of streams that have not completed. */
    SENDS_IN_FLIGHT,

    /** How large are the windows? Receives of all windows that have room for 1 KiB of data or less. */
    RECEIVES_UP_TO_1_KIB,

    /** Receives of all windows that have room for more, up to 8 KiB. */
    RECEIVES_UP_TO_8_KIB,

    /** Receives of all windows that have room for more, up to 64 KiB. */
    RECEIVES_UP_TO_64_KIB,

    /** Receives of all windows that have room for more than 64 KiB. */
    RECEIVES_LARGER;

    /**
     * {@return the gauge of the receives that have room for so many bytes of data}
     *
     * @param bytes of one receive, without the header of a frame.
     */
    public static RdmaGauge ofReceives(int bytes) {
        if (bytes <= 1 << 10) {
            return RECEIVES_UP_TO_1_KIB;
        }
        if (bytes <= 8 << 10) {
            return RECEIVES_UP_TO_8_KIB;
        }
        return bytes <= 64 << 10 ? RECEIVES_UP_TO_64_KIB : RECEIVES_LARGER;
    }
}
