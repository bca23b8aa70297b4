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
package io.nettyrdma.testsuite.guide;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultAddressedEnvelope;
import io.nettyrdma.channel.DatagramPeer;
import io.nettyrdma.datagram.DatagramException;
import io.nettyrdma.efa.EfaDatagramChannel;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteMemory;
import io.nettyrdma.verbs.MemoryAccess;

/** Snippets of docs/guide.md: a write to a peer's memory over EFA. */
final class EfaWrites {

    private EfaWrites() {
    }

    static RemoteMemory expose(EfaDatagramChannel channel, ByteBuf memory) throws InterruptedException {
        ExposedMemory exposed = channel.expose(memory, MemoryAccess.REMOTE_WRITE).sync().getNow();
        return exposed.remote();                             // for the list of memories of a DatagramExchange
    }

    static void write(EfaDatagramChannel channel, DatagramPeer peer, ByteBuf data) throws InterruptedException {
        RdmaWrite write = new RdmaWrite(data, peer.memories().get(0));
        channel.writeAndFlush(new DefaultAddressedEnvelope<>(write, peer.address())).addListener(written -> {
            if (written.cause() instanceof DatagramException e) {
                System.out.println("not written: " + e.failure());     // the channel goes on
            }
        }).sync();
    }
}
