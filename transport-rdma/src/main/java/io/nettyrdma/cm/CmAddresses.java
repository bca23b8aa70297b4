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
package io.nettyrdma.cm;

import io.nettyrdma.jni.AbiLayout;
import io.nettyrdma.jni.CmNative;
import io.nettyrdma.jni.NativeMemory;

import java.net.InetSocketAddress;

/** The last known addresses of an id. The id's lock guards changes; any thread may read. */
final class CmAddresses {

    private volatile InetSocketAddress local;
    private volatile InetSocketAddress peer;

    /** {@code null} before there is one. */
    InetSocketAddress local() {
        return local;
    }

    /** {@code null} before there is one. */
    InetSocketAddress peer() {
        return peer;
    }

    void setPeer(InetSocketAddress address) {
        peer = address;
    }

    void read(long id) {
        NativeMemory record = new NativeMemory(AbiLayout.SocketAddress.SIZE);
        CmNative.localAddress(id, record.address());
        local = AddressRecord.read(record);
        CmNative.peerAddress(id, record.address());
        InetSocketAddress address = AddressRecord.read(record);
        // A listening id reports a peer address with port 0.
        if (address != null && address.getPort() != 0) {
            peer = address;
        }
    }

    /** Empty without addresses. */
    @Override
    public String toString() {
        InetSocketAddress from = local;
        InetSocketAddress to = peer;
        if (from == null && to == null) {
            return "";
        }
        return " (" + (from == null ? "unbound" : from) + (to == null ? "" : " -> " + to) + ')';
    }
}
