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

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

/** Wakes the loop while the guest has something to do. Level-triggered: the guest itself takes the reason away. */
final class GuestWatch implements EpollIoHandle {

    private final IoHandler epoll;
    private FileDescriptor descriptor = new FileDescriptor(0);
    /** {@code null} unless a descriptor is watched. */
    private IoRegistration registration;

    GuestWatch(IoHandler epoll) {
        this.epoll = epoll;
    }

    /** A guest that makes another selector has another descriptor. */
    void follow(int current) {
        if (registration != null && descriptor.intValue() == current) {
            return;
        }
        close();
        // Not for closing: it belongs to the guest.
        descriptor = new FileDescriptor(current);
        try {
            registration = epoll.register(this);
            registration.submit(EpollIoOps.EPOLLIN);
        } catch (Exception e) {
            throw new IllegalStateException("epoll cannot wait for the descriptor " + current + " of "
                    + "another event loop's handler", e);
        }
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void handle(IoRegistration own, IoEvent event) {
        // The guest runs in the next turn.
    }

    @Override
    public void close() {
        if (registration != null) {
            registration.cancel();
        }
    }
}
