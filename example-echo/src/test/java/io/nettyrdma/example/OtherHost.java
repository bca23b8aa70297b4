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
package io.nettyrdma.example;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;

import static org.junit.jupiter.api.Assumptions.abort;

/** An address that a machine beside this one could have, and to which there is a route. */
public final class OtherHost {

    private static final int HOST_BITS = 0x55;

    private OtherHost() {
    }

    /** Skips the test if this machine is in no network. */
    public static InetAddress get() throws Exception {
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress own : each.inetAddresses().toList()) {
                if (own instanceof Inet4Address && !own.isLoopbackAddress()) {
                    byte[] bytes = own.getAddress();
                    bytes[bytes.length - 1] ^= HOST_BITS;
                    return InetAddress.getByAddress(bytes);
                }
            }
        }
        return abort("this machine has no address in a network");
    }
}
