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
package io.nettyrdma.verbs;

import io.nettyrdma.annotation.UnstableApi;

import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * An entry of a port's GID table.
 *
 * @param interfaceIndex index of the network interface that the entry belongs to; 0 if it belongs to none.
 * @since 0.1.0
 */
@UnstableApi
public record GidEntry(int index, Gid gid, Gid.Type type, int interfaceIndex) {

    /**
     * {@return how well the entry serves as a source address, when none was chosen: the higher the better} RoCE
     * v2 with an address that others can reach always works; v1 and the loopback address are the last resort.
     */
    public int rank() {
        InetAddress address = gid.toAddress();
        if (type == Gid.Type.ROCE_V1 || address.isLoopbackAddress()) {
            return 0;
        }
        if (type != Gid.Type.ROCE_V2) {
            return 1;
        }
        return address.isLinkLocalAddress() ? 2 : address instanceof Inet6Address ? 3 : 4;
    }
}
