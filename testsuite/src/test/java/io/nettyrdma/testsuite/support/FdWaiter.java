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
package io.nettyrdma.testsuite.support;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

import java.util.concurrent.TimeUnit;

/**
 * Waits with Netty's epoll until a file descriptor of rdma-core is readable; the JDK can wait only on its own
 * descriptors. Level-triggered. Confined to the thread that created it; does not own the descriptor.
 */
public final class FdWaiter implements AutoCloseable {

    private static final int MAX_EVENTS = 4;

    private final ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(),
            EpollIoHandler.newFactory(MAX_EVENTS, DefaultSelectStrategyFactory.INSTANCE));
    private final IoRegistration registration;
    private final int fd;
    private boolean readable;

    public FdWaiter(int fd) throws Exception {
        this.fd = fd;
        registration = loop.register(new Handle(new FileDescriptor(fd))).get();
        registration.submit(EpollIoOps.EPOLLIN);
    }

    /** Whether it is readable now. */
    public boolean isReadable() {
        readable = false;
        loop.runNow();
        return readable;
    }

    /** Sleeps until it is readable. Fails the test at the deadline. */
    public void await(Deadline deadline, String awaited) {
        readable = false;
        while (!readable) {
            long nanos = deadline.remainingNanos();
            if (nanos == 0) {
                throw new AssertionError("waited in vain for " + awaited + ": descriptor " + fd + " is not readable");
            }
            loop.run(nanos);
        }
    }

    @Override
    public void close() {
        registration.cancel();
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        while (!loop.isTerminated()) {
            loop.runNow();
        }
    }

    private final class Handle implements EpollIoHandle {

        private final FileDescriptor descriptor;

        Handle(FileDescriptor descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public FileDescriptor fd() {
            return descriptor;
        }

        @Override
        public void handle(IoRegistration source, IoEvent event) {
            readable = true;
        }

        @Override
        public void close() {
            // The descriptor is not ours.
        }
    }
}
