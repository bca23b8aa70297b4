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

import java.lang.reflect.Field;
import java.lang.reflect.Method;

/** The descriptors that Netty's handlers and the JDK's selectors wait on: private fields that the agent has opened. */
final class Descriptors {

    private Descriptors() {
    }

    static int ofNio(IoHandler handler) {
        return (int) get(get(handler, "unwrappedSelector"), "epfd");
    }

    static int ofIoUring(IoHandler handler) {
        Object ring = get(handler, "ringBuffer");
        try {
            Method fd = ring.getClass().getDeclaredMethod("fd");
            fd.setAccessible(true);
            return (int) fd.invoke(ring);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(ring.getClass() + " has no descriptor that can be read", e);
        }
    }

    private static Object get(Object object, String name) {
        try {
            Field field = object.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(object.getClass() + " has no field " + name + " that can be read", e);
        }
    }
}
