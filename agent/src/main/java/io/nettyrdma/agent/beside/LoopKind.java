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
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.uring.IoUringIoHandle;

import java.util.function.ToIntFunction;

/** The event loops that a program may have chosen. */
enum LoopKind {

    NIO("NIO") {
        @Override
        Class<? extends IoHandle> handles() {
            return NioIoHandle.class;
        }

        @Override
        ToIntFunction<IoHandler> descriptor() throws ReflectiveOperationException {
            return Descriptors.ofNio();
        }
    },
    EPOLL("epoll") {
        @Override
        Class<? extends IoHandle> handles() {
            return EpollIoHandle.class;
        }

        @Override
        ToIntFunction<IoHandler> descriptor() {
            return null;
        }
    },
    IO_URING("io_uring") {
        @Override
        Class<? extends IoHandle> handles() {
            return IoUringIoHandle.class;
        }

        @Override
        ToIntFunction<IoHandler> descriptor() throws ReflectiveOperationException {
            return Descriptors.ofIoUring();
        }
    };

    private final String label;

    LoopKind(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** What its channels register. A method: the classes of a kind may be missing. */
    abstract Class<? extends IoHandle> handles();

    /**
     * The descriptor of a handler, readable while that has something to do; {@code null} if these handlers wait
     * for everything themselves.
     */
    abstract ToIntFunction<IoHandler> descriptor() throws ReflectiveOperationException;
}
