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
package io.nettyrdma.remote;

import io.netty.util.ReferenceCounted;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.verbs.MemoryAccess;

/**
 * A message of a channel's pipeline that accesses the peer's memory. Its promise succeeds when the operation is
 * complete, also where that of a short ByteBuf succeeds when its bytes are copied.
 *
 * <p>A connection sends it in order with the other messages, and promises succeed in the order of the messages. If
 * the operation fails, for instance because the peer has withdrawn the memory, the connection fails with it. On a
 * datagram channel nothing has an order, and an operation fails alone.
 *
 * <p>The bytes of an operation count for the channel's writability until the promise succeeds. So the high water mark
 * bounds what is in flight: with marks below the size of a write, one is in flight at a time. Any thread may create and
 * write one.
 *
 * @since 0.1.0
 */
@UnstableApi
public sealed interface RemoteOperation extends ReferenceCounted permits RdmaWrite, RdmaRead, RdmaAtomic {

    /** {@return the memory that it accesses} */
    RemoteMemory remote();

    /** {@return the access that it needs} */
    MemoryAccess access();

    /** {@return the bytes that it moves} */
    int length();

    /** {@return whether it waits until earlier reads and atomics of the connection are complete} */
    boolean isFenced();

    /** Called by the transport on the event loop when the operation is complete, just before its promise succeeds. */
    void complete();
}
