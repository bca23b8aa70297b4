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
package io.nettyrdma.testsuite.support;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Registered memory of a {@link Peer}. */
public interface PeerMemory extends ByReference {

    int size();

    /** The address of a byte as peers use it. May also lie outside the memory. */
    long address(int offset);

    int localKey();

    int remoteKey();

    /** An SGE for a work request of the owner. */
    default Peer.Sge sge(int offset, int length) {
        return new Peer.Sge(address(offset), length, localKey());
    }

    PeerMemory put(int offset, byte[] content);

    byte[] get(int offset, int length);

    /** Deregisters the memory. */
    void close() throws Exception;

    default void putInt(int offset, int value) {
        put(offset, ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder()).putInt(value).array());
    }

    default int getInt(int offset) {
        return ByteBuffer.wrap(get(offset, Integer.BYTES)).order(ByteOrder.nativeOrder()).getInt();
    }

    default void putLong(int offset, long value) {
        put(offset, ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array());
    }

    default long getLong(int offset) {
        return ByteBuffer.wrap(get(offset, Long.BYTES)).order(ByteOrder.nativeOrder()).getLong();
    }

    /** Asserts the effect of a write that has completed. Its bytes are there; on iWARP they may still arrive. */
    default void assertWritten(int offset, byte[] expected) throws Exception {
        if (TestDevice.get().completesWhenTaken()) {
            Deadline.standard().until("the bytes of a write", () ->
                    Arrays.equals(get(offset, expected.length), expected));
        }
        assertHolds(offset, expected);
    }

    /** Fails with the first byte that differs rather than with all bytes. */
    default void assertHolds(int offset, byte[] expected) {
        byte[] actual = get(offset, expected.length);
        int differs = Arrays.mismatch(expected, actual);
        if (differs >= 0) {
            throw new AssertionError("byte " + differs + " of " + expected.length + " at " + offset + " is "
                    + actual[differs] + ", not " + expected[differs]);
        }
    }
}
