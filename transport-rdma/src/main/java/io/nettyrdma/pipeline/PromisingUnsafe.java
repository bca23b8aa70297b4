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
package io.nettyrdma.pipeline;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;

/** A channel's unsafe as the pipeline sees it, if its messages may outlive the channel: see {@link WritePromises}. */
public class PromisingUnsafe extends ForwardingUnsafe {

    private final Channel.Unsafe unsafe;
    private final WritePromises promises;

    public PromisingUnsafe(Channel.Unsafe unsafe, WritePromises promises) {
        super(unsafe);
        this.unsafe = unsafe;
        this.promises = promises;
    }

    /** A closed channel has no buffer, and fails the promise itself. */
    @Override
    public final void write(Object message, ChannelPromise promise) {
        if (unsafe.outboundBuffer() == null) {
            unsafe.write(message, promise);
        } else {
            promises.write(unsafe, message, promise);
        }
    }
}
