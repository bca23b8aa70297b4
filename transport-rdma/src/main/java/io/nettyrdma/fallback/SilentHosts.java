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

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Hosts that did not answer by RDMA, so that each costs the head start once in a while. Keeps the newest
 * {@value #MAX_HOSTS}. Any thread.
 */
final class SilentHosts {

    static final int MAX_HOSTS = 1_024;

    private final Map<InetAddress, Long> ends = new LinkedHashMap<>() {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Long> eldest) {
            return size() > MAX_HOSTS;
        }
    };

    /** @param millis for which the host is remembered. */
    synchronized void add(InetAddress host, long now, int millis) {
        ends.remove(host);
        if (millis > 0) {
            ends.put(host, now + TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    /** The host has answered. */
    synchronized void remove(InetAddress host) {
        ends.remove(host);
    }

    synchronized boolean contains(InetAddress host, long now) {
        Long end = ends.get(host);
        if (end == null) {
            return false;
        }
        if (now - end < 0) {
            return true;
        }
        ends.remove(host);
        return false;
    }
}
