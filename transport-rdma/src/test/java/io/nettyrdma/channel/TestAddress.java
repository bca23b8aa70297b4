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

import io.nettyrdma.link.BoundAddress;

import java.net.InetSocketAddress;

/** A reserved address that remembers where it moved. */
final class TestAddress implements BoundAddress {

    private final InetSocketAddress address;
    /** The link that can use it. */
    TestLink link;
    int closes;

    TestAddress(InetSocketAddress address, TestLink link) {
        this.address = address;
        this.link = link;
    }

    @Override
    public InetSocketAddress localAddress() {
        return address;
    }

    @Override
    public void close() {
        closes++;
    }
}
