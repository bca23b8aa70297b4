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

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.io.IOException;

/** Has something done whenever a file descriptor is readable. The descriptor belongs to somebody else. */
final class FdWatch implements EpollIoHandle {

    /** Reads what there is. What is left makes the descriptor readable again. */
    @FunctionalInterface
    interface Reader {
        void read() throws Exception;
    }

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(FdWatch.class);

    private final FileDescriptor fd;
    private final String name;
    private final Reader reader;
    private IoRegistration registration;

    private FdWatch(int fd, String name, Reader reader) {
        this.fd = new FileDescriptor(fd);
        this.name = name;
        this.reader = reader;
    }

    /** @param name of what the descriptor belongs to, for messages. */
    static FdWatch start(IoHandler epoll, int fd, String name, Reader reader) throws IOException {
        FdWatch watch = new FdWatch(fd, name, reader);
        try {
            watch.registration = epoll.register(watch);
            watch.registration.submit(EpollIoOps.EPOLLIN);
            return watch;
        } catch (Exception e) {
            watch.stop();
            throw new IOException("the events of " + name + " cannot be watched: " + e.getMessage(), e);
        }
    }

    /** Before the descriptor is closed: its number may be another's a moment later. */
    void stop() {
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    public FileDescriptor fd() {
        return fd;
    }

    /** What cannot be read would stay readable, and keep the loop from everything else. */
    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        try {
            reader.read();
        } catch (Exception e) {
            LOGGER.error("the events of {} cannot be read; nobody learns of them any more", name, e);
            stop();
        }
    }

    /** The loop ends, and stops watching. */
    @Override
    public void close() {
    }
}
