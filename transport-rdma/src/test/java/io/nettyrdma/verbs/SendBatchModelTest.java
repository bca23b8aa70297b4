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

import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Random calls, many of them invalid, compared with a list of the accepted requests. A failure reports its seed; {@code
 * -Dio.nettyrdma.test.seed} repeats it.
 */
class SendBatchModelTest {

    private static final int STEPS = 20_000;
    private static final int CAPACITY = 5;
    private static final int MAX_SGES = 3;
    private static final int INLINE = 8;
    private static final int[] LENGTHS = { 8, 8, 8, 4, 0, 100, Integer.MAX_VALUE, -1 };

    @RegisterExtension
    final Seed seed = new Seed();
    private final Random random = seed.newRandom();
    private final SendBatch batch = new SendBatch(CAPACITY, MAX_SGES);
    private final List<Request> requests = new ArrayList<>();
    private int filled;

    @Test
    void batchHoldsExactlyTheAcceptedRequests() {
        for (int step = 0; step < STEPS; step++) {
            int call = random.nextInt(20);
            if (call < 6) {
                begin(SendOpcode.values()[random.nextInt(SendOpcode.values().length)]);
            } else if (call < 14) {
                sge();
            } else if (call < 19) {
                flag(1 << random.nextInt(4));
            } else {
                // Whatever it holds: an atomic with an invalid SGE can only be cleared.
                filled += batch.isFull() ? 1 : 0;
                batch.clear();
                requests.clear();
            }
            compare(step);
        }
        assertThat(filled).as("seed %s: full batches", seed).isGreaterThan(10);
    }

    private void begin(SendOpcode opcode) {
        Request request = new Request();
        request.opcode = opcode;
        request.id = random.nextLong();
        // One in eight is not a multiple of 8.
        request.remote = random.nextLong() & -8 | (random.nextInt(8) == 0 ? 1 + random.nextInt(7) : 0);
        request.key = random.nextInt();
        request.immediate = random.nextInt();
        request.first = random.nextLong();
        request.second = random.nextLong();
        boolean misaligned = opcode.isAtomic && request.remote % 8 != 0;
        if (call(() -> request.beginIn(batch), requests.size() == CAPACITY || misaligned || lastIsUnfinished())) {
            requests.add(request);
        }
    }

    private void sge() {
        Sge sge = new Sge();
        sge.address = random.nextInt(16) == 0 ? 0 : 1 + (random.nextLong() >>> 1);
        sge.length = LENGTHS[random.nextInt(LENGTHS.length)];
        sge.key = random.nextInt();
        if (call(() -> batch.sge(sge.address, sge.length, sge.key), requests.isEmpty() || sge.address == 0
                || sge.length < 0 || last().sges.size() == MAX_SGES)) {
            last().sges.add(sge);
        }
    }

    private void flag(int flag) {
        Runnable set = switch (flag) {
        case 1 -> batch::fence;
        case 2 -> batch::signaled;
        case 4 -> batch::solicited;
        default -> batch::inline;
        };
        if (call(set, requests.isEmpty() || flag == INLINE && !last().carriesData())) {
            last().flags |= flag;
        }
    }

    /** Returns whether the call was accepted, which must be the opposite of {@code refused}. */
    private boolean call(Runnable call, boolean refused) {
        Throwable thrown = catchThrowable(call::run);
        if (refused) {
            assertThat(thrown).as("seed %s", seed)
                    .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class);
        } else {
            assertThat(thrown).as("seed %s", seed).isNull();
        }
        return !refused;
    }

    private boolean lastIsUnfinished() {
        return !requests.isEmpty() && last().opcode.isAtomic && (last().sges.size() != 1 || last().bytes() != 8);
    }

    private Request last() {
        return requests.get(requests.size() - 1);
    }

    private void compare(int step) {
        WorkRequestBytes bytes = new WorkRequestBytes();
        long mostInline = 0;
        int opcodes = 0;
        for (Request request : requests) {
            request.writeTo(bytes);
            opcodes |= 1 << request.number();
            if ((request.flags & INLINE) != 0) {
                mostInline = Math.max(mostInline, request.bytes());
            }
        }
        byte[] expected = bytes.toArray();
        assertThat(batch.records.bytes(0, expected.length)).as("seed %s, step %d", seed, step).isEqualTo(expected);
        assertThat(batch.size()).as("seed %s, step %d", seed, step).isEqualTo(requests.size());
        assertThat(batch.mostInline()).as("seed %s, step %d", seed, step).isEqualTo(mostInline);
        assertThat(batch.opcodes()).as("seed %s, step %d", seed, step).isEqualTo(opcodes);
    }

    private static final class Sge {
        private long address;
        private int length;
        private int key;
    }

    private static final class Request {
        private final List<Sge> sges = new ArrayList<>();
        private SendOpcode opcode;
        private long id;
        private long remote;
        private int key;
        private int immediate;
        private long first;
        private long second;
        private int flags;

        /** {@code enum ibv_wr_opcode}. */
        private int number() {
            return switch (opcode) {
            case RDMA_WRITE -> 0;
            case RDMA_WRITE_WITH_IMMEDIATE -> 1;
            case SEND -> 2;
            case SEND_WITH_IMMEDIATE -> 3;
            case RDMA_READ -> 4;
            case COMPARE_AND_SWAP -> 5;
            case FETCH_AND_ADD -> 6;
            };
        }

        private boolean carriesData() {
            return number() < 4;
        }

        private long bytes() {
            return sges.stream().mapToLong(sge -> sge.length).sum();
        }

        private void beginIn(SendBatch batch) {
            switch (opcode) {
            case SEND -> batch.send(id);
            case SEND_WITH_IMMEDIATE -> batch.sendWithImmediate(id, immediate);
            case RDMA_WRITE -> batch.write(id, remote, key);
            case RDMA_WRITE_WITH_IMMEDIATE -> batch.writeWithImmediate(id, remote, key, immediate);
            case RDMA_READ -> batch.read(id, remote, key);
            case COMPARE_AND_SWAP -> batch.compareAndSwap(id, remote, key, first, second);
            case FETCH_AND_ADD -> batch.fetchAndAdd(id, remote, key, first);
            default -> throw new AssertionError(opcode);
            }
        }

        private void writeTo(WorkRequestBytes bytes) {
            bytes.send(id, number(), flags, sges.size());
            if (opcode != SendOpcode.SEND && opcode != SendOpcode.SEND_WITH_IMMEDIATE) {
                bytes.remote(remote, key);
            }
            if (number() % 2 == 1 && number() < 4) {
                bytes.immediate(immediate);
            }
            if (opcode.isAtomic) {
                bytes.compareOrAdd(first);
            }
            if (opcode == SendOpcode.COMPARE_AND_SWAP) {
                bytes.swap(second);
            }
            sges.forEach(sge -> bytes.sge(sge.address, sge.length, sge.key));
        }
    }
}
