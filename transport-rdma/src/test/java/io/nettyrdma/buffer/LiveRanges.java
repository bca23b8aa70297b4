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

import io.netty.buffer.ByteBuf;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The addresses of all buffers in use. Each is removed before its buffer is released. Any thread. */
final class LiveRanges {

    private final ConcurrentSkipListMap<Long, Long> ends = new ConcurrentSkipListMap<>();

    /** Fails if part of the memory belongs to another buffer. Of two that are added at a time, one sees the other. */
    void add(ByteBuf buffer) {
        long start = buffer.memoryAddress();
        long end = start + buffer.capacity();
        Long same = ends.putIfAbsent(start, end);
        Map.Entry<Long, Long> below = ends.lowerEntry(start);
        Long above = ends.higherKey(start);
        if (same != null || below != null && below.getValue() > start || above != null && above < end) {
            throw new AssertionError(String.format("%s at 0x%x is handed out twice: below it %s, there %s, above it %s",
                    buffer, start, below, same, above));
        }
    }

    void remove(ByteBuf buffer) {
        if (ends.remove(buffer.memoryAddress()) == null) {
            throw new AssertionError(buffer + " is not among the live ones");
        }
    }

    boolean isEmpty() {
        return ends.isEmpty();
    }
}
