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

import io.nettyrdma.jni.NativeMemory;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Completions as drawn in {@code abi/nrdma_abi.h}. */
class WorkCompletionTest {

    private static final int SIZE = 32;
    private static final long ID = 0xfedcba9876543210L;
    private static final int GRH = 1;
    private static final int WITH_IMMEDIATE = 2;
    private static final int SENDER_GID = 128;

    private final NativeMemory completions = new NativeMemory(3 * (SIZE + Gid.LENGTH));
    private final WorkCompletion view = new WorkCompletion(completions, 3);

    @Test
    void everyFieldIsReadFromItsOffset() {
        fill(0, 0, 128, GRH | WITH_IMMEDIATE);
        assertThat(view.workRequestId()).isEqualTo(ID);
        assertThat(view.isSuccess()).isTrue();
        assertThat(view.status()).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(view.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE);
        assertThat(view.byteLength()).isEqualTo(4096);
        assertThat(view.hasImmediate()).isTrue();
        assertThat(view.immediate()).isEqualTo(0xcafebabe);
        assertThat(view.hasGlobalRoutingHeader()).isTrue();
        assertThat(view.queuePairNumber()).isEqualTo(0x123456);
        assertThat(view.sourceQueuePair()).isEqualTo(0xabcdef);
        assertThat(view.sourceLid()).isEqualTo(0xfedc);
        assertThat(view.vendorError()).isZero();
    }

    @Test
    void flagsAreIndependent() {
        fill(0, 0, 128, GRH);
        assertThat(view.hasImmediate()).isFalse();
        assertThat(view.hasGlobalRoutingHeader()).isTrue();
        fill(0, 0, 129, WITH_IMMEDIATE);
        assertThat(view.hasImmediate()).isTrue();
        assertThat(view.hasGlobalRoutingHeader()).isFalse();
    }

    /** They share a machine word: for a failure it is the vendor error, whatever else is in the record. */
    @Test
    void failedCompletionHasAVendorErrorInTheFieldOfTheImmediate() {
        fill(0, 10, 128, GRH | WITH_IMMEDIATE);
        assertThat(view.isSuccess()).isFalse();
        assertThat(view.status()).isEqualTo(WorkCompletionStatus.REMOTE_ACCESS_ERROR);
        assertThat(view.vendorError()).isEqualTo(0xcafebabe);
        assertThat(view.workRequestId()).isEqualTo(ID);
        assertThat(view.queuePairNumber()).isEqualTo(0x123456);
        assertThat(view.hasGlobalRoutingHeader()).isFalse();
    }

    /** Tests run with assertions. Without them these checks cost nothing on the hot path. */
    @Test
    void failedCompletionHasNoLengthOpcodeOrFlags() {
        fill(0, 5, 0, WITH_IMMEDIATE);
        assertThatExceptionOfType(AssertionError.class).isThrownBy(view::opcode).withMessageContaining("no opcode");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(view::byteLength).withMessageContaining("no length");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(view::hasImmediate)
                .withMessageContaining("no flags");
        assertThatExceptionOfType(AssertionError.class).isThrownBy(view::immediate);
    }

    @Test
    void oneViewMovesAlongTheArray() {
        completions.putU64(0, 1).putU64(SIZE, 2).putU64(2 * SIZE, 3);
        assertThat(view.wrap(2).workRequestId()).isEqualTo(3);
        assertThat(view.wrap(0).workRequestId()).isEqualTo(1);
        assertThat(view.wrap(1)).isSameAs(view);
        assertThat(view.workRequestId()).isEqualTo(2);
        fill(2, 13, 0, 0);
        assertThat(view.isSuccess()).isTrue();
        assertThat(view.wrap(2).status()).isEqualTo(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
    }

    /** The GIDs stand behind all records, in the order of their completions. */
    @Test
    void senderHasAGidIfTheCompletionHasOne() {
        byte[] first = new byte[Gid.LENGTH];
        byte[] last = new byte[Gid.LENGTH];
        Arrays.fill(first, (byte) 1);
        Arrays.fill(last, (byte) 0xff);
        completions.putBytes(3 * SIZE, first).putBytes(3 * SIZE + 2 * Gid.LENGTH, last);
        fill(0, 0, 128, GRH | WITH_IMMEDIATE | SENDER_GID);
        assertThat(view.sourceGid()).isEqualTo(new Gid(first));
        assertThat(view.hasImmediate()).isTrue();
        assertThat(view.hasGlobalRoutingHeader()).isTrue();
        fill(1, 0, 128, GRH | WITH_IMMEDIATE);
        assertThat(view.wrap(1).sourceGid()).isNull();
        fill(2, 0, 128, SENDER_GID);
        assertThat(view.wrap(2).sourceGid()).isEqualTo(new Gid(last));
        assertThat(view.hasImmediate()).isFalse();
    }

    /** As on all devices but EFA: there is no room for GIDs, and none is read. */
    @Test
    void completionsWithoutGidsHaveNoGidMemory() {
        NativeMemory records = new NativeMemory(3 * SIZE);
        assertThat(new WorkCompletion(records, 3).wrap(2).sourceGid()).isNull();
    }

    @Test
    void unknownNumbersAreKept() {
        fill(0, 0, 5, 0);
        assertThat(view.opcode()).isEqualTo(WorkCompletionOpcode.OTHER);
        fill(0, 255, 0, 0);
        assertThat(view.isSuccess()).isFalse();
        assertThat(view.status()).isEqualTo(WorkCompletionStatus.GENERAL_ERROR);
    }

    @Test
    void aSuccessIsLoggedWithItsOperation() {
        fill(0, 0, 128, 0);
        assertThat(view).hasToString(
                "work request 0xfedcba9876543210 of queue pair 0x123456: SUCCESS RECEIVE, 4096 bytes");
    }

    @Test
    void aFailureIsLoggedWithItsMeaning() {
        fill(0, 12, 0, 0);
        assertThat(view).hasToString("work request 0xfedcba9876543210 of queue pair 0x123456: "
                + "TRANSPORT_RETRY_EXCEEDED (the peer did not answer: it is gone, or the network lost too much), "
                + "vendor error 0xcafebabe");
    }

    private void fill(int index, int status, int opcode, int flags) {
        ByteBuffer record = ByteBuffer.allocate(SIZE).order(ByteOrder.nativeOrder())
                .putLong(0, ID).putInt(8, 4096).putInt(12, 0xcafebabe).putInt(16, 0x123456).putInt(20, 0xabcdef)
                .put(24, (byte) status).put(25, (byte) opcode).put(26, (byte) flags).put(27, (byte) 0xff)
                .putShort(28, (short) 0xfedc).putShort(30, (short) 0xffff);
        completions.putBytes(index * SIZE, record.array());
    }
}
