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
package io.nettyrdma.grpc;

import io.grpc.internal.ObjectPool;
import io.grpc.internal.SharedResourcePool;
import io.netty.channel.EventLoopGroup;

import java.lang.reflect.Method;

/**
 * Loops that a server or a channel takes from a pool, and returns at its end. grpc has no public method to set the pool
 * of a builder: {@code eventLoopGroup} takes loops that never end. Its own, which are not public, have been the same
 * since 2019. Any thread.
 */
final class LoopPool {

    private final Method setter;
    private final ObjectPool<EventLoopGroup> pool;

    /** @throws IllegalStateException this grpc-java has no such method. */
    LoopPool(Class<?> builder, String setter, LoopResource loops) {
        try {
            this.setter = builder.getDeclaredMethod(setter, ObjectPool.class);
            this.setter.setAccessible(true);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException("this grpc-java has no " + builder.getName() + '.' + setter, e);
        }
        pool = SharedResourcePool.forResource(loops);
    }

    void setFor(Object builder) {
        try {
            setter.invoke(builder, pool);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
