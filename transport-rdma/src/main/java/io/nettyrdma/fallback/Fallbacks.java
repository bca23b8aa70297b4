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
package io.nettyrdma.fallback;

import io.netty.util.internal.logging.InternalLogLevel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.jni.DeviceChoice;

/** What all channels of this process know of their peers. */
final class Fallbacks {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaOrTcp.class);

    static final SilentHosts SILENT_HOSTS = new SilentHosts();
    static final PeerTransports PEERS = new PeerTransports();

    /** A peer has answered this process by RDMA. */
    static volatile boolean answered;

    /** Of the loops that were made last: why they have no RDMA; {@code null} if they have. */
    private static Throwable unavailable;

    private Fallbacks() {
    }

    /**
     * Loops are made. The log says when they begin to be without RDMA, as a warning if a device was asked for.
     *
     * @param cause {@code null} if they have RDMA.
     */
    static synchronized void unavailable(Throwable cause) {
        if (cause != null && unavailable == null) {
            LOGGER.log(DeviceChoice.configured().isExpected() ? InternalLogLevel.WARN : InternalLogLevel.INFO,
                    "event loops use TCP alone, because RDMA is not available: {}", cause.getMessage());
        }
        unavailable = cause;
    }

    static synchronized Throwable unavailable() {
        return unavailable;
    }
}
