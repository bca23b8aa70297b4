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
package io.nettyrdma.channel;

import io.netty.util.internal.logging.InternalLogger;

import java.util.concurrent.TimeUnit;

/**
 * Limits the warnings that peers can cause as often as they like: the first is logged, and then one in
 * {@value #PERIOD_SECONDS} seconds, with the number of those omitted. Counters count all of them. Any thread.
 */
final class PeerWarnings {

    static final int PERIOD_SECONDS = 10;

    private final InternalLogger logger;
    private boolean warned;
    private long last;
    private long unsaid;

    PeerWarnings(InternalLogger logger) {
        this.logger = logger;
    }

    /** @param what contains nothing that a peer has sent, except through {@link io.nettyrdma.protocol.PeerText}. */
    void warn(Object who, String what) {
        long before = takeOmitted(System.nanoTime());
        if (before > 0) {
            logger.warn("{}: {}; {} more like this since the last warning", who, what, before);
        } else if (before == 0) {
            logger.warn("{}: {}", who, what);
        } else {
            logger.debug("{}: {}", who, what);
        }
    }

    /** The number of warnings omitted before this one, or -1 if this one is omitted too. */
    private synchronized long takeOmitted(long now) {
        if (warned && now - last < TimeUnit.SECONDS.toNanos(PERIOD_SECONDS)) {
            unsaid++;
            return -1;
        }
        long before = unsaid;
        warned = true;
        last = now;
        unsaid = 0;
        return before;
    }
}
