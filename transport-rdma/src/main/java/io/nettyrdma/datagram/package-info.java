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

/**
 * Datagrams: one queue pair that sends to any number of peers and receives from them, without a connection. An engine
 * that knows no Netty channel and no provider. A channel has a {@link io.nettyrdma.datagram.DatagramHandle} on its
 * loop, calls the {@link io.nettyrdma.datagram.DatagramQueuePair} that it opens, and gets reports by {@link
 * io.nettyrdma.datagram.DatagramEvents}. The channels over it are in {@code io.nettyrdma.channel} and {@code
 * io.nettyrdma.efa}. Of what is public here, programs need the addresses, immediates and failures.
 *
 * @see <a href="https://nettyrdma.io/docs/guide.html">Guide</a>
 * @see <a href="https://nettyrdma.io/docs/efa.html">EFA</a>
 * @since 0.1.0
 */
@UnstableApi
package io.nettyrdma.datagram;

import io.nettyrdma.annotation.UnstableApi;
