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
package io.nettyrdma.testsuite.support;

import java.net.InetAddress;

/** The address families that the connection manager must support. */
public enum IpFamily {
    IPV4,
    IPV6;

    /** An address of the device under test; skips the test if it has none. */
    public InetAddress address() {
        return this == IPV4 ? TestDevice.get().ipv4() : TestDevice.get().ipv6();
    }
}
