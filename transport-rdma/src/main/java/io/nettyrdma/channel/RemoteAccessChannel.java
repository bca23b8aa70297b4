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

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.link.Link;
import io.nettyrdma.link.LinkFactory;
import io.nettyrdma.memory.Exposures;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.MemoryAccess;

import java.nio.channels.NotYetConnectedException;

/** What a channel has besides a byte stream: its peer's memory, and its own memory for the peer. */
abstract class RemoteAccessChannel extends MovableChannel {

    RemoteAccessChannel(Channel parent, ChannelState initial, LinkFactory links) {
        super(parent, initial, links);
    }

    /**
     * Lets the peer access a buffer, from index 0 to its capacity; expose a slice for a part of it. Send the peer
     * {@link ExposedMemory#remote}. Any thread.
     *
     * <p>The memory is withdrawn by {@link ExposedMemory#close} or after the end of the channel, when the peer can
     * access it no more. Until then the buffer stays referenced, and the peer may change its bytes at any time: copy
     * what you check before you use it. A buffer of an RdmaByteBufAllocator cannot outgrow its memory meanwhile:
     * {@link ByteBuf#capacity(int)} throws. Do not change the capacity of other buffers: that frees their memory.
     * References are taken to whatever {@link ByteBuf#unwrap} leads to. A wrapper of your own that does not unwrap, and
     * ignores {@code retain()}, keeps no memory of another allocator: keep it yourself. For memory of an
     * RdmaByteBufAllocator such a wrapper is refused.
     *
     * <p>Registering takes time in proportion to the length, on the event loop, and counts for the limit of locked
     * memory (ulimit -l). Nothing but the application limits for how long a silent peer keeps the memory.
     *
     * @param buffer direct, not composite, with a capacity of at least one byte. The result has a reference of its own.
     * @param access REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC.
     * @return fails with {@link IllegalStateException} without {@link RdmaChannelOption#REMOTE_ACCESS}, with
     *         {@link NotYetConnectedException} if the channel is not active, and with the device's reason.
     */
    @UnstableApi
    public final Future<ExposedMemory> expose(ByteBuf buffer, MemoryAccess... access) {
        return Exposures.request(eventLoop(), buffer, () -> activeLink().expose(buffer, access));
    }

    @Override
    protected Object filterOutboundMessage(Object message) throws Exception {
        if (message instanceof RemoteOperation operation) {
            activeLink().check(operation);
            return operation;
        }
        return super.filterOutboundMessage(message);
    }

    private Link activeLink() {
        if (!isActive()) {
            throw new NotYetConnectedException();
        }
        return link();
    }
}
