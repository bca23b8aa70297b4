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
package io.nettyrdma.testsuite.stream;

import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.TransportMemory;

import static org.assertj.core.api.Assertions.assertThat;

/** Memory that others take until it is closed. */
final class TakenMemory implements AutoCloseable {

    private final TransportMemory memory = TransportMemory.of(RdmaByteBufAllocator.DEFAULT);
    private final long bytes;

    private TakenMemory(long bytes) {
        this.bytes = bytes;
        assertThat(memory.takeIfPlenty(bytes)).isTrue();
    }

    /** Connections get what they need, and there is not plenty of it. */
    static TakenMemory half() {
        return new TakenMemory(RdmaByteBufAllocator.DEFAULT.metric().maxRegisteredBytes() / 2);
    }

    /** Connections get nothing more. */
    static TakenMemory all() {
        return new TakenMemory(RdmaByteBufAllocator.DEFAULT.metric().maxRegisteredBytes());
    }

    @Override
    public String toString() {
        return "others have taken " + bytes + " bytes";
    }

    @Override
    public void close() {
        memory.give(bytes);
    }
}
