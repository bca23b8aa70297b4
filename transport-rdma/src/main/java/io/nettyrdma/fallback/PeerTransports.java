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

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Says for each peer how connections to it are made: one line when that is first known, and one when it changes, but at
 * most {@value #MAX_LINES} in a minute, because each bootstrap has a policy of its own. Of the last {@value #MAX_PEERS}
 * peers. Any thread.
 */
final class PeerTransports {

    static final int MAX_PEERS = 1_024;
    private static final int MAX_LINES = 6;
    private static final long MINUTE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaOrTcpChannel.class);

    private final Map<InetSocketAddress, Lines> peers = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Lines> eldest) {
            return size() > MAX_PEERS;
        }
    };

    /** What was said of a peer. */
    private static final class Lines {

        private String last;
        private int count;
        /** When the first of them was said. */
        private long since;

        boolean add(String how, long now) {
            if (how.equals(last)) {
                return false;
            }
            if (count == 0 || now - since >= MINUTE_NANOS) {
                since = now;
                count = 0;
            }
            if (count == MAX_LINES) {
                return false;
            }
            count++;
            last = how;
            return true;
        }
    }

    /** @param device the one that RDMA is used on. */
    void useRdma(InetSocketAddress peer, String device) {
        if (isNew(peer, device)) {
            LOGGER.info("connections to {} use RDMA on {}", peer, device);
        }
    }

    /**
     * Warns after a failure that a person should look at. A cause may name the connection, which differs each time: it
     * makes no line new.
     */
    void useTcp(InetSocketAddress peer, Fallback fallback) {
        if (isNew(peer, fallback.reason().text())) {
            LOGGER.log(fallback.reason() == FallbackReason.FAILED ? InternalLogLevel.WARN : InternalLogLevel.INFO,
                    "connections to {} use TCP, because {}", peer, fallback.text());
        }
    }

    private boolean isNew(InetSocketAddress peer, String how) {
        synchronized (peers) {
            return peers.computeIfAbsent(peer, unknown -> new Lines()).add(how, System.nanoTime());
        }
    }
}
