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
package io.nettyrdma.microbench.operations;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** Checks what operations have left. */
final class SameBytes {

    /** An adapter acknowledges a write a little before the processor sees its bytes. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

    private SameBytes() {
    }

    /** Throws unless the memory holds these bytes, at once or soon. */
    static void check(ByteBuffer memory, ByteBuffer bytes, Operation operation) {
        long start = System.nanoTime();
        while (!memory.equals(bytes)) {
            if (System.nanoTime() - start > PATIENCE) {
                throw new IllegalStateException(operation + " of " + bytes.remaining() + " bytes has left other bytes");
            }
        }
    }
}
