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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Says for each peer how connections to it are made: one line when that is first known, and one when it changes. Of the
 * last {@value #MAX_PEERS} peers. Any thread.
 */
final class PeerTransports {

    static final int MAX_PEERS = 1_024;

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaOrTcpChannel.class);

    private final Map<InetSocketAddress, String> said = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, String> eldest) {
            return size() > MAX_PEERS;
        }
    };

    /** @param how for instance {@code "RDMA on mlx5_0"}. */
    void use(InetSocketAddress peer, String how) {
        synchronized (said) {
            if (how.equals(said.put(peer, how))) {
                return;
            }
        }
        LOGGER.info("connections to {} use {}", peer, how);
    }
}
