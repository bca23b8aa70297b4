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

import io.netty.channel.IoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.uring.IoUringIoHandler;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.function.ToIntFunction;

/** The descriptors that Netty's handlers and the JDK's selectors wait on: private fields that the agent has opened. */
final class Descriptors {

    private Descriptors() {
    }

    static ToIntFunction<IoHandler> ofNio() throws ReflectiveOperationException {
        Field selector = open(NioIoHandler.class.getDeclaredField("unwrappedSelector"));
        Field descriptor = open(Class.forName("sun.nio.ch.EPollSelectorImpl").getDeclaredField("epfd"));
        return handler -> {
            try {
                return descriptor.getInt(selector.get(handler));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    static ToIntFunction<IoHandler> ofIoUring() throws ReflectiveOperationException {
        Field ring = open(IoUringIoHandler.class.getDeclaredField("ringBuffer"));
        Method descriptor = open(ring.getType().getDeclaredMethod("fd"));
        return handler -> {
            try {
                return (int) descriptor.invoke(ring.get(handler));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }
}
