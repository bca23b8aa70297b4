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
package io.nettyrdma;

import io.netty.util.Version;

/** Why the Netty of this class path is not one that the event loops can run on. */
final class NettyCheck {

    private static final String OLDEST = "4.2.0.Final";

    private NettyCheck() {
    }

    /** {@code null} if it is. Any version of 4.2 will do: the lane {@code netty-oldest} of the testsuite. */
    static Throwable cause() {
        try {
            Class.forName("io.netty.channel.IoHandler", false, NettyCheck.class.getClassLoader());
            return null;
        } catch (ClassNotFoundException e) {
            Version found = Version.identify(NettyCheck.class.getClassLoader()).get("netty-transport");
            return new UnsupportedOperationException("RDMA needs Netty " + OLDEST + " or newer, and netty-transport is "
                    + (found == null ? "missing" : found.artifactVersion()) + " here: take all of Netty from one "
                    + "version of its BOM, or set the property netty.version where a framework chooses it", e);
        }
    }
}
