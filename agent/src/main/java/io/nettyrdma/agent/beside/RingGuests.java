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

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;

import java.lang.reflect.Field;

/** Rings that epoll can wait for. */
final class RingGuests {

    private RingGuests() {
    }

    /**
     * As the program's, but not for a single issuer: the kernel does not make such a ring readable when work has ended,
     * it waits to be asked ({@code IORING_SETUP_DEFER_TASKRUN}).
     *
     * @param config the program's.
     * @return {@code null} if this version of Netty has no such choice.
     */
    static IoHandlerFactory factory(Object config) {
        IoUringIoHandlerConfig own = (IoUringIoHandlerConfig) config;
        synchronized (own) {
            try {
                Field field = IoUringIoHandlerConfig.class.getDeclaredField("singleIssuer");
                field.setAccessible(true);
                Object before = field.get(own);
                field.set(own, false);
                try {
                    // Has a copy.
                    return IoUringIoHandler.newFactory(own);
                } finally {
                    field.set(own, before);
                }
            } catch (ReflectiveOperationException | RuntimeException e) {
                return null;
            }
        }
    }
}
