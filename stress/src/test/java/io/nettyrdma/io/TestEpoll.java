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
package io.nettyrdma.io;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The part of Netty's {@code EpollIoHandler} that sleeps and wakes: it marks itself asleep, checks whether it may,
 * and then sleeps until a thread that saw it asleep writes to the eventfd. Here it returns instead of sleeping, and
 * stays asleep for other threads.
 */
final class TestEpoll implements IoHandler {

    /** The loop's thread is in epoll_wait, or about to enter it. */
    private final AtomicBoolean asleep = new AtomicBoolean();
    private boolean sleeps;
    private volatile boolean hasEvent;

    @Override
    public int run(IoHandlerContext context) {
        if (context.canBlock()) {
            asleep.set(true);
            if (context.canBlock()) {
                sleeps = true;
            } else {
                asleep.set(false);
            }
        }
        return 0;
    }

    @Override
    public void wakeup() {
        if (asleep.getAndSet(false)) {
            hasEvent = true;
        }
    }

    /** Whether the loop sleeps, and nothing wakes it. After the actors. */
    boolean sleepsOn() {
        return sleeps && !hasEvent;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        throw new AssertionError("nothing is registered");
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return false;
    }
}
