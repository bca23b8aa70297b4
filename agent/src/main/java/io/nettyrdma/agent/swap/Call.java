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
package io.nettyrdma.agent.swap;

/**
 * What an instrumented class passes to {@link Hook}.
 *
 * @param elements at the indices below; behind the value what belongs to the point.
 */
record Call(Object[] elements) {

    static final int POINT = 0;
    static final int PREFIX = 1;
    static final int CALLER = 2;
    static final int VALUE = 3;

    Point.Kind kind() {
        return Point.Kind.valueOf((String) elements[POINT]);
    }

    /** Of the names of a relocated Netty, with a dot at its end; else empty. */
    String prefix() {
        return (String) elements[PREFIX];
    }

    Class<?> caller() {
        return (Class<?>) elements[CALLER];
    }

    Object value() {
        return elements[VALUE];
    }
}
