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

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import io.nettyrdma.annotation.UnstableApi;

/**
 * Memory that the peers of a channel may access, until it is closed or the channel ends. Any thread.
 *
 * @since 0.1.0
 */
@UnstableApi
public interface ExposedMemory {

    /** {@return the buffer, of which this object has a reference until it is closed} */
    ByteBuf buffer();

    /** {@return what the peer needs to know} */
    RemoteMemory remote();

    /**
     * Withdraws the memory. When the future completes, the key is void and the buffer released: a later access of a
     * peer fails, and with it the connection, if it is one. Any thread; a second call returns the same future.
     *
     * @return completes when the peer can access the memory no more.
     */
    Future<Void> close();
}
