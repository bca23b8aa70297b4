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
package io.nettyrdma.agent.beside;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Waits with epoll for what a handler of NIO or of io_uring waits for as well. So channels of these, datagrams and a
 * program's own, run on a loop with RDMA:
 *
 * <pre>
 *   RdmaIoHandler -&gt; EpollWithGuest -&gt; epoll's handler: TCP, and the descriptor of the guest's
 *                                   -&gt; the guest: a selector, or a ring
 * </pre>
 *
 * The guest exists from the first handle on that it takes. It never sleeps, and runs before epoll may: a selector
 * passes what has changed to the kernel only when it selects.
 */
final class EpollWithGuest implements IoHandler, Supplier<IoHandler> {

    private final IoHandler epoll;
    private final Supplier<IoHandler> guests;
    private final Class<? extends IoHandle> handles;
    private final ToIntFunction<IoHandler> descriptor;
    private final AwakeContext awake = new AwakeContext();
    /** {@code null} until it is needed. Another thread may need it first, see {@link LoopHandler#get}. */
    private volatile IoHandler guest;
    /** {@code null} until the guest runs. */
    private GuestWatch watch;

    /**
     * @param guests creates the guest.
     * @param handles that the guest takes.
     * @param descriptor of the guest, readable while that has something to do.
     */
    EpollWithGuest(IoHandler epoll, Supplier<IoHandler> guests, Class<? extends IoHandle> handles,
            ToIntFunction<IoHandler> descriptor) {
        this.epoll = epoll;
        this.guests = guests;
        this.handles = handles;
        this.descriptor = descriptor;
    }

    @Override
    public synchronized IoHandler get() {
        if (guest == null) {
            guest = guests.get();
        }
        return guest;
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        if (!handles.isInstance(handle)) {
            return epoll.register(handle);
        }
        IoHandler own = get();
        if (watch == null) {
            own.initialize();
            watch = new GuestWatch(epoll);
            watch.follow(descriptor.applyAsInt(own));
        }
        return own.register(handle);
    }

    @Override
    public int run(IoHandlerContext context) {
        if (watch == null) {
            return epoll.run(context);
        }
        awake.follow(context);
        int handled = guest.run(awake);
        watch.follow(descriptor.applyAsInt(guest));
        return handled + epoll.run(handled > 0 ? awake : context);
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    /** Of classes. RDMA's handler does not ask for interfaces. */
    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return handles.isAssignableFrom(type) || epoll.isCompatible(type);
    }

    @Override
    public void prepareToDestroy() {
        if (watch != null) {
            guest.prepareToDestroy();
        }
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        try {
            if (guest != null) {
                if (watch == null) {
                    // A ring that was never enabled cannot be ended.
                    guest.initialize();
                }
                guest.destroy();
            }
        } finally {
            epoll.destroy();
        }
    }
}
