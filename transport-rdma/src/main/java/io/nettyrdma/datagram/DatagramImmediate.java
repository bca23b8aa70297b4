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
package io.nettyrdma.datagram;

import io.nettyrdma.annotation.UnstableApi;

/**
 * A user event of a datagram channel with {@link
 * io.nettyrdma.channel.RdmaDatagramChannelOption#IMMEDIATES}: a peer's write with an
 * immediate is complete, and its bytes are in this side's exposed memory. It comes when the channel reads, in no order
 * with anything else.
 *
 * @param sender may be {@link DatagramAddress#isUnknown}.
 * @param value what {@link io.nettyrdma.remote.RdmaWrite#withImmediate} was given.
 * @param length bytes of the write; at least 1.
 * @since 0.1.0
 */
@UnstableApi
public record DatagramImmediate(DatagramAddress sender, int value, int length) {
}
