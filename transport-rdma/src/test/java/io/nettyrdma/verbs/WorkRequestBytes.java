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
package io.nettyrdma.verbs;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Work requests as drawn in {@code abi/nrdma_abi.h}, independent of the layouts in the code. */
final class WorkRequestBytes {

    static final int SEND_BYTES = 48;
    static final int RECEIVE_BYTES = 16;
    static final int SGE_BYTES = 16;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private ByteBuffer header;

    /** A send's header up to {@code num_sge}. Fields that a request does not use stay zero. */
    WorkRequestBytes send(long id, int opcode, int flags, int sges) {
        begin(SEND_BYTES);
        header.putLong(0, id).put(8, (byte) opcode).put(9, (byte) flags).putShort(10, (short) sges);
        return this;
    }

    WorkRequestBytes immediate(int immediate) {
        header.putInt(12, immediate);
        return this;
    }

    WorkRequestBytes remote(long address, int key) {
        header.putLong(16, address).putInt(24, key);
        return this;
    }

    WorkRequestBytes compareOrAdd(long value) {
        header.putLong(32, value);
        return this;
    }

    WorkRequestBytes swap(long value) {
        header.putLong(40, value);
        return this;
    }

    WorkRequestBytes receive(long id, int sges) {
        begin(RECEIVE_BYTES);
        header.putLong(0, id).putInt(8, sges);
        return this;
    }

    WorkRequestBytes sge(long address, int length, int key) {
        end();
        bytes.writeBytes(buffer(SGE_BYTES).putLong(0, address).putInt(8, length).putInt(12, key).array());
        return this;
    }

    byte[] toArray() {
        end();
        return bytes.toByteArray();
    }

    private void begin(int size) {
        end();
        header = buffer(size);
    }

    private void end() {
        if (header != null) {
            bytes.writeBytes(header.array());
            header = null;
        }
    }

    private static ByteBuffer buffer(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
    }
}
