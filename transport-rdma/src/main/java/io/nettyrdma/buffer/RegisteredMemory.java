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
package io.nettyrdma.buffer;

import io.nettyrdma.annotation.UnstableApi;

/**
 * Finds the lkey of registered memory by address. Only one loop may use it.
 *
 * @since 0.1.0
 */
@UnstableApi
@FunctionalInterface
public interface RegisteredMemory {

    /** Never a valid key, because keys have 32 bits. */
    long NOT_REGISTERED = -1;

    /** No registered memory: everything that is sent is copied. */
    RegisteredMemory NONE = (address, length) -> NOT_REGISTERED;

    /**
     * Finds the memory region that contains all {@code length} bytes at {@code address}; {@code length} is at least 1.
     *
     * @param address of the first byte.
     * @param length bytes, at least 1.
     * @return the lkey in the low 32 bits with the high bits 0, or {@link #NOT_REGISTERED}.
     */
    long localKey(long address, int length);
}
