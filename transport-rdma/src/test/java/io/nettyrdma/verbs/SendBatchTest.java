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

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class SendBatchTest {

    private static final long ID = 0x0123456789abcdefL;
    private static final long REMOTE = 0xfedcba9876543210L;
    private static final int REMOTE_KEY = 0x89abcdef;
    private static final int IMMEDIATE = 0xcafebabe;
    private static final long LOCAL = 0x00007f0012345678L;
    private static final int LOCAL_KEY = 0xfedcba98;

    private final SendBatch batch = new SendBatch(4, 3);

    @Test
    void send() {
        batch.send(ID).sge(LOCAL, 100, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 2, 0, 1).sge(LOCAL, 100, LOCAL_KEY));
    }

    @Test
    void sendWithImmediate() {
        batch.sendWithImmediate(ID, IMMEDIATE).sge(LOCAL, 100, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 3, 0, 1).immediate(IMMEDIATE)
                .sge(LOCAL, 100, LOCAL_KEY));
    }

    @Test
    void write() {
        batch.write(ID, REMOTE, REMOTE_KEY).sge(LOCAL, 100, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 0, 0, 1).remote(REMOTE, REMOTE_KEY)
                .sge(LOCAL, 100, LOCAL_KEY));
    }

    @Test
    void writeWithImmediate() {
        batch.writeWithImmediate(ID, REMOTE, REMOTE_KEY, IMMEDIATE).sge(LOCAL, 100, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 1, 0, 1).immediate(IMMEDIATE)
                .remote(REMOTE, REMOTE_KEY).sge(LOCAL, 100, LOCAL_KEY));
    }

    @Test
    void read() {
        batch.read(ID, REMOTE, REMOTE_KEY).sge(LOCAL, 100, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 4, 0, 1).remote(REMOTE, REMOTE_KEY)
                .sge(LOCAL, 100, LOCAL_KEY));
    }

    @Test
    void compareAndSwap() {
        batch.compareAndSwap(ID, REMOTE, REMOTE_KEY, -2, Long.MIN_VALUE).sge(LOCAL, 8, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 5, 0, 1).remote(REMOTE, REMOTE_KEY)
                .compareOrAdd(-2).swap(Long.MIN_VALUE).sge(LOCAL, 8, LOCAL_KEY));
    }

    @Test
    void fetchAndAdd() {
        batch.fetchAndAdd(ID, REMOTE, REMOTE_KEY, -1).sge(LOCAL, 8, LOCAL_KEY);
        assertBytes(batch, new WorkRequestBytes().send(ID, 6, 0, 1).remote(REMOTE, REMOTE_KEY).compareOrAdd(-1)
                .sge(LOCAL, 8, LOCAL_KEY));
    }

    @Test
    void everyFlagHasItsBit() {
        assertFlags(SendBatch::fence, 1);
        assertFlags(SendBatch::signaled, 2);
        assertFlags(SendBatch::solicited, 4);
        assertFlags(SendBatch::inline, 8);
        assertFlags(send -> send.inline().solicited().signaled().fence().signaled(), 15);
    }

    @Test
    void flagsAreOfOneRequestOnly() {
        batch.send(1).signaled().send(2).fence().send(3);
        assertBytes(batch, new WorkRequestBytes().send(1, 2, 2, 0).send(2, 2, 1, 0).send(3, 2, 0, 0));
    }

    @Test
    void requestsOfDifferentLengthsFollowEachOther() {
        batch.send(1).sge(LOCAL, 1, 11).sge(LOCAL + 1, 0, 12).sge(LOCAL + 2, Integer.MAX_VALUE, 13).inline();
        batch.sendWithImmediate(2, IMMEDIATE).signaled();
        batch.fetchAndAdd(3, 8, REMOTE_KEY, 5).sge(LOCAL, 8, 14);
        batch.write(4, REMOTE, REMOTE_KEY).sge(LOCAL, 2, 15).sge(LOCAL, 3, 16);
        assertThat(batch.size()).isEqualTo(4);
        assertThat(batch.isFull()).isTrue();
        assertBytes(batch, new WorkRequestBytes()
                .send(1, 2, 8, 3).sge(LOCAL, 1, 11).sge(LOCAL + 1, 0, 12).sge(LOCAL + 2, Integer.MAX_VALUE, 13)
                .send(2, 3, 2, 0).immediate(IMMEDIATE)
                .send(3, 6, 0, 1).remote(8, REMOTE_KEY).compareOrAdd(5).sge(LOCAL, 8, 14)
                .send(4, 0, 0, 2).remote(REMOTE, REMOTE_KEY).sge(LOCAL, 2, 15).sge(LOCAL, 3, 16));
    }

    /** Bytes of an earlier request at the same offset must not become part of the next one. */
    @Test
    void clearedBatchIsEmpty() {
        batch.compareAndSwap(1, REMOTE, REMOTE_KEY, -1, -1).sge(LOCAL, 8, LOCAL_KEY).fence().signaled();
        batch.sendWithImmediate(2, -1).sge(LOCAL, 100, LOCAL_KEY).inline();
        batch.clear();
        assertThat(batch.size()).isZero();
        assertThat(batch.opcodes()).isZero();
        assertThat(batch.mostInline()).isZero();
        batch.send(3).send(4);
        assertThat(Arrays.copyOf(batch.records.bytes(0, batch.records.size()), 2 * WorkRequestBytes.SEND_BYTES))
                .isEqualTo(new WorkRequestBytes().send(3, 2, 0, 0).send(4, 2, 0, 0).toArray());
        assertThat(batch.opcodes()).isEqualTo(1 << 2);
    }

    @Test
    void batchKnowsTheOpcodesOfItsRequests() {
        batch.send(1).write(2, REMOTE, REMOTE_KEY).send(3);
        assertThat(batch.opcodes()).isEqualTo(1 << 2 | 1);
    }

    @Test
    void batchKnowsItsLargestInlineRequest() {
        batch.send(1).sge(LOCAL, 10, LOCAL_KEY).sge(LOCAL, 20, LOCAL_KEY).inline();
        assertThat(batch.mostInline()).isEqualTo(30);
        batch.send(2).inline().sge(LOCAL, 15, LOCAL_KEY).sge(LOCAL, 25, LOCAL_KEY);
        assertThat(batch.mostInline()).isEqualTo(40);
        batch.send(3).sge(LOCAL, 35, LOCAL_KEY).inline();
        batch.send(4).sge(LOCAL, 1000, LOCAL_KEY);
        assertThat(batch.mostInline()).isEqualTo(40);
    }

    @Test
    void inlineBytesDoNotOverflow() {
        batch.send(1).inline().sge(LOCAL, Integer.MAX_VALUE, LOCAL_KEY).sge(LOCAL, Integer.MAX_VALUE, LOCAL_KEY);
        assertThat(batch.mostInline()).isEqualTo(2L * Integer.MAX_VALUE);
    }

    @Test
    void readsAndAtomicsCannotBeInline() {
        assertNotInline(SendOpcode.RDMA_READ, batch.read(1, REMOTE, REMOTE_KEY));
        batch.clear();
        assertNotInline(SendOpcode.FETCH_AND_ADD, batch.fetchAndAdd(1, REMOTE, REMOTE_KEY, 1));
        batch.clear();
        assertNotInline(SendOpcode.COMPARE_AND_SWAP, batch.compareAndSwap(1, REMOTE, REMOTE_KEY, 1, 2));
    }

    @Test
    void writesCanBeInline() {
        batch.write(1, REMOTE, REMOTE_KEY).sge(LOCAL, 5, LOCAL_KEY).inline()
                .writeWithImmediate(2, REMOTE, REMOTE_KEY, 3).sge(LOCAL, 6, LOCAL_KEY).inline();
        assertThat(batch.mostInline()).isEqualTo(6);
    }

    @Test
    void requestBeyondAFullBatchIsRefusedAndChangesNothing() {
        for (int id = 0; id < 4; id++) {
            batch.send(id).sge(LOCAL, id, LOCAL_KEY);
        }
        byte[] before = batch.records.bytes(0, batch.records.size());
        assertThatIllegalStateException().isThrownBy(() -> batch.read(4, REMOTE, REMOTE_KEY))
                .withMessage("the batch is full: it has room for 4 work requests");
        assertThat(batch.size()).isEqualTo(batch.capacity()).isEqualTo(4);
        assertThat(batch.opcodes()).isEqualTo(1 << 2);
        assertThat(batch.records.bytes(0, batch.records.size())).isEqualTo(before);
    }

    @Test
    void everyRequestOfAFullBatchHasRoomForAllItsSges() {
        WorkRequestBytes expected = new WorkRequestBytes();
        for (int id = 0; id < 4; id++) {
            batch.send(id);
            expected.send(id, 2, 0, 3);
            for (int sge = 1; sge <= 3; sge++) {
                batch.sge(LOCAL, sge, LOCAL_KEY);
                expected.sge(LOCAL, sge, LOCAL_KEY);
            }
        }
        assertThat(batch.records.bytes(0, batch.records.size())).isEqualTo(expected.toArray());
    }

    @Test
    void oneSgeTooManyIsRefused() {
        batch.send(1).sge(LOCAL, 1, 1).sge(LOCAL, 1, 1).sge(LOCAL, 1, 1);
        assertThatIllegalStateException().isThrownBy(() -> batch.sge(LOCAL, 1, 1))
                .withMessage("the work request is full: the batch has room for 3 SGEs each");
        assertThat(batch.records.u16(10)).isEqualTo(3);
    }

    @Test
    void anSgeNeedsMemory() {
        batch.send(1);
        assertThatIllegalArgumentException().isThrownBy(() -> batch.sge(0, 1, 1)).withMessageContaining("null");
        assertThatIllegalArgumentException().isThrownBy(() -> batch.sge(LOCAL, -1, 1))
                .withMessage("an SGE cannot have -1 bytes");
        assertThat(batch.records.u16(10)).isZero();
    }

    @Test
    void sgeBeforeTheFirstRequestIsRefused() {
        for (UnaryOperator<SendBatch> each : Arrays.<UnaryOperator<SendBatch>>asList(
                send -> send.sge(LOCAL, 1, 1), SendBatch::inline, SendBatch::signaled, SendBatch::solicited,
                SendBatch::fence)) {
            assertThatIllegalStateException().isThrownBy(() -> each.apply(batch)).withMessageContaining("work request");
            batch.send(1).clear();
        }
    }

    @Test
    void anAtomicNeedsOneSgeOfEightBytes() {
        assertNoAtomic(batch.fetchAndAdd(1, REMOTE, REMOTE_KEY, 1), "FETCH_AND_ADD", "0 of 0 bytes");
        batch.clear();
        assertNoAtomic(batch.compareAndSwap(1, REMOTE, REMOTE_KEY, 1, 2).sge(LOCAL, 4, 1), "COMPARE_AND_SWAP",
                "1 of 4 bytes");
        batch.clear();
        assertNoAtomic(batch.fetchAndAdd(1, REMOTE, REMOTE_KEY, 1).sge(LOCAL, 4, 1).sge(LOCAL, 4, 1),
                "FETCH_AND_ADD", "2 of 8 bytes");
    }

    /** A refused request must not leave half a request behind. */
    @Test
    void anAtomicNeedsAnAlignedAddress() {
        batch.send(1);
        for (int odd = 1; odd < 8; odd++) {
            long address = REMOTE + odd;
            assertThatIllegalArgumentException().isThrownBy(() -> batch.fetchAndAdd(2, address, REMOTE_KEY, 1))
                    .withMessage("FETCH_AND_ADD needs an address that is a multiple of 8, not 0x"
                            + Long.toHexString(address));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> batch.compareAndSwap(2, address, REMOTE_KEY, 1, 2));
        }
        assertThat(batch.size()).isEqualTo(1);
        assertThat(batch.opcodes()).isEqualTo(1 << 2);
        batch.send(3);
        assertBytes(batch, new WorkRequestBytes().send(1, 2, 0, 0).send(3, 2, 0, 0));
    }

    @Test
    void onlyAtomicsRequireAlignment() {
        batch.write(1, REMOTE + 1, REMOTE_KEY).read(2, REMOTE + 3, REMOTE_KEY);
        assertBytes(batch, new WorkRequestBytes().send(1, 0, 0, 0).remote(REMOTE + 1, REMOTE_KEY)
                .send(2, 4, 0, 0).remote(REMOTE + 3, REMOTE_KEY));
    }

    private static void assertBytes(SendBatch batch, WorkRequestBytes expected) {
        byte[] all = new byte[batch.records.size()];
        byte[] used = expected.toArray();
        System.arraycopy(used, 0, all, 0, used.length);
        assertThat(batch.records.bytes(0, all.length)).isEqualTo(all);
    }

    private static void assertFlags(UnaryOperator<SendBatch> flags, int expected) {
        SendBatch one = new SendBatch(1, 1);
        flags.apply(one.send(1).sge(LOCAL, 1, 1));
        assertBytes(one, new WorkRequestBytes().send(1, 2, expected, 1).sge(LOCAL, 1, 1));
    }

    private static void assertNotInline(SendOpcode opcode, SendBatch begun) {
        assertThatIllegalStateException().isThrownBy(begun::inline).withMessage(opcode + " cannot be inline");
        assertThat(begun.records.u8(9)).isZero();
    }

    private static void assertNoAtomic(SendBatch begun, String opcode, String found) {
        String message = opcode + " needs one SGE of 8 bytes, it has " + found + " in total";
        assertThatIllegalStateException().isThrownBy(begun::seal).withMessage(message);
        assertThatIllegalStateException().isThrownBy(() -> begun.send(2)).withMessage(message);
        assertThat(begun.size()).isEqualTo(1);
    }
}
