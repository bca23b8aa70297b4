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
package io.nettyrdma.link;

import io.netty.channel.EventLoop;

import java.util.function.BiConsumer;
import java.util.function.IntSupplier;

/** Makes the links of channels and the listeners of server channels. */
public interface LinkFactory {

    /** Whether a channel can be registered with such an event loop. Any thread. */
    boolean isCompatible(EventLoop loop);

    /**
     * Registers a channel with a loop. On the loop.
     *
     * @param events receives what the link reports.
     * @param then gets the link, or why there is none. On the loop.
     */
    void register(EventLoop loop, Link.Events events, BiConsumer<Link, Throwable> then);

    /**
     * Makes a listener, which is on no loop yet. Its requests are for links of this factory.
     *
     * @param maxWaiting requests beyond this number are rejected.
     */
    LinkListener listener(LinkListener.Events events, IntSupplier maxWaiting);
}
