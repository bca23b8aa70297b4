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

import io.nettyrdma.link.LinkRequest;

import java.net.InetSocketAddress;

/** A request of a peer that exists in the test only. */
final class TestRequest implements LinkRequest {

    /** Whether the peer has left before its request was taken. */
    boolean isAbandoned;
    /** Why it was refused; {@code null} if it was not. */
    String refusal;
    /** The link that has accepted it; {@code null} if there is none. */
    TestLink link;

    @Override
    public InetSocketAddress localAddress() {
        return TestLink.HERE;
    }

    @Override
    public InetSocketAddress peerAddress() {
        return TestLink.PEER;
    }

    @Override
    public void refuse(String text) {
        refusal = text;
    }
}
