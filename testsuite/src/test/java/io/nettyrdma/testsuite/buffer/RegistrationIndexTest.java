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
package io.nettyrdma.testsuite.buffer;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegistrationIndex;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.verbs.ProtectionDomain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static io.nettyrdma.buffer.RegisteredMemory.NOT_REGISTERED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Which addresses a domain has registered, and for how long. The test's thread is the loop. */
@Tag("device")
@OneProcess("it has no peer")
class RegistrationIndexTest {

    private static final int CHUNK = 1 << 20;
    private static final int LIMIT = 8 * CHUNK;
    /** Twice the limit, and a chunk. */
    private static final int RANGE = 2 * LIMIT + CHUNK;

    private final Closer closer = new Closer();
    private final List<ByteBuf> buffers = new ArrayList<>();
    /** Unused chunks are released at once, and new ones take the lowest addresses. */
    private final RdmaByteBufAllocator allocator =
            RdmaByteBufAllocator.builder().chunkBytes(CHUNK).maxRegisteredBytes(LIMIT).idleBytes(0).build();
    private ProtectionDomain domain;
    private RegistrationIndex index;

    @BeforeEach
    void open() throws IOException {
        domain = closer.add(TestDevice.get().device().createProtectionDomain());
        index = closer.add(RegistrationIndex.of(allocator, domain));
    }

    @AfterEach
    void close() throws IOException {
        buffers.forEach(ByteBuf::release);
        closer.close();
        assertThat(allocator.metric().committedBytes()).isZero();
        assertThat(allocator.metric().registeredBytes()).isZero();
    }

    @Test
    void everyPartOfAChunkHasTheSameKey() {
        long start = chunk();
        long key = index.localKey(start, 1);
        assertThat(key).isBetween(0L, 0xffffffffL);
        assertThat(index.localKey(start, CHUNK)).isEqualTo(key);
        assertThat(index.localKey(start + CHUNK - 1, 1)).isEqualTo(key);
        assertThat(index.localKey(start + 12_345, 54_321)).isEqualTo(key);
        assertThat(allocator.metric().registrations()).isEqualTo(1);
    }

    @Test
    void foreignAddressesHaveNoKey() throws Exception {
        long start = chunk();
        assertThat(index.localKey(start, CHUNK)).isNotEqualTo(NOT_REGISTERED);
        for (long address : new long[] { 0, 1, -1, -CHUNK, Long.MIN_VALUE, Long.MAX_VALUE, start - 1, start - CHUNK,
                start + RANGE, start + RANGE + CHUNK, ~start }) {
            assertNone(address, 1);
            assertNone(address, CHUNK);
        }
        assertNone(start - 1, 2);
        assertNone(start - CHUNK, Integer.MAX_VALUE);
        assertNone(start, Integer.MAX_VALUE);
        assertNone(start + RANGE - 1, Integer.MAX_VALUE);
        RdmaByteBufAllocator other = RdmaByteBufAllocator.builder().build();
        ByteBuf foreign = other.directBuffer(1000);
        assertNone(foreign.memoryAddress(), 1000);
        foreign.release();
        assertThat(allocator.metric().registrationRefusals()).as("no device was asked").isZero();
    }

    @Test
    void unallocatedAddressesHaveNoKey() throws Exception {
        long start = chunk();
        for (int at = CHUNK; at < RANGE; at += CHUNK) {
            assertNone(start + at, 1);
            assertNone(start + at + CHUNK - 1, 1);
        }
        assertThat(allocator.metric().registrations()).as("nothing was asked for").isZero();
        assertThat(index.localKey(start + CHUNK - 1, 1)).isNotEqualTo(NOT_REGISTERED);
        assertNone(start + CHUNK - 1, 2);
        assertNone(start, CHUNK + 1);
    }

    /** Two adjacent regions do not make one. */
    @Test
    void rangeAcrossChunksHasNoKey() throws Exception {
        long first = chunk();
        long second = chunk();
        assertThat(second).as("its neighbour").isEqualTo(first + CHUNK);
        long firstKey = index.localKey(first, CHUNK);
        long secondKey = index.localKey(second, CHUNK);
        assertThat(secondKey).isNotEqualTo(firstKey);
        assertNone(second - 1, 2);
        assertNone(first, 2 * CHUNK);
        assertNone(first + 10, CHUNK);
        assertThat(index.localKey(second - 1, 1)).isEqualTo(firstKey);
        assertThat(index.localKey(second, 1)).isEqualTo(secondKey);
    }

    @Test
    void aLargeBufferIsOneRegion() throws Exception {
        int size = 2 * CHUNK + CHUNK / 2;
        ByteBuf large = buffer(size);
        long start = large.memoryAddress();
        long key = index.localKey(start + CHUNK, 1);
        assertThat(key).isNotEqualTo(NOT_REGISTERED);
        assertThat(index.localKey(start, size)).isEqualTo(key);
        assertThat(index.localKey(start + CHUNK - 1, 2)).isEqualTo(key);
        assertThat(index.localKey(start + size - 1, 1)).isEqualTo(key);
        assertThat(allocator.metric().registrations()).isEqualTo(1);
        assertThat(allocator.metric().registeredBytes()).isEqualTo(size);
        assertNone(start, 3 * CHUNK + 1);
        long behind = buffer(CHUNK).memoryAddress();
        assertThat(behind).isEqualTo(start + 3 * CHUNK);
        assertThat(index.localKey(behind, CHUNK)).isNotIn(key, NOT_REGISTERED);
        assertNone(start, 3 * CHUNK + 1);
    }

    @Test
    void viewsHaveTheKeyOfTheirBuffer() {
        ByteBuf buffer = buffer(10_000);
        long key = index.localKey(buffer.memoryAddress(), 10_000);
        assertThat(key).isNotEqualTo(NOT_REGISTERED);
        for (ByteBuf view : List.of(buffer.slice(5000, 5000), buffer.duplicate(), buffer.asReadOnly(),
                buffer.slice(10, 5000).slice(10, 10))) {
            assertThat(index.localKey(view.memoryAddress(), view.capacity())).isEqualTo(key);
        }
        assertThat(index.localKey(buffer(10).memoryAddress(), 10)).as("of the same chunk").isEqualTo(key);
    }

    /** Each registers only what it is asked for. */
    @Test
    void domainsHaveDifferentKeys() throws Exception {
        RegistrationIndex other = closer.add(RegistrationIndex.of(allocator,
                closer.add(TestDevice.get().device().createProtectionDomain())));
        long first = chunk();
        long second = chunk();
        long key = index.localKey(first, 1);
        assertThat(index.registeredBytes()).isEqualTo(CHUNK);
        assertThat(other.registeredBytes()).isZero();
        assertThat(other.localKey(first, 1)).isNotIn(key, NOT_REGISTERED);
        assertThat(other.localKey(second, 1)).isNotEqualTo(NOT_REGISTERED);
        assertThat(other.registeredBytes()).isEqualTo(2 * CHUNK);
        assertThat(index.registeredBytes()).isEqualTo(CHUNK);
        assertThat(allocator.metric().registeredBytes()).isEqualTo(3 * CHUNK);
        assertThat(allocator.metric().registeredBytesByDevice())
                .isEqualTo(Map.of(domain.device().name(), 3L * CHUNK));
        assertThat(allocator.metric().registrations()).isEqualTo(3);
        other.close();
        assertThat(allocator.metric().registeredBytes()).isEqualTo(CHUNK);
        assertThat(index.localKey(first, 1)).isEqualTo(key);
    }

    /** Releases a chunk by its last buffer or by trimming the allocator. No domain has it registered then. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void releasedChunkIsDeregistered(boolean kept) throws Exception {
        RdmaByteBufAllocator from = RdmaByteBufAllocator.builder().chunkBytes(CHUNK).maxRegisteredBytes(LIMIT)
                .idleBytes(kept ? LIMIT : 0).build();
        List<ProtectionDomain> domains = new ArrayList<>();
        List<RegistrationIndex> indexes = new ArrayList<>();
        ByteBuf buffer = from.directBuffer(CHUNK, CHUNK);
        long address = buffer.memoryAddress();
        for (int i = 0; i < 3; i++) {
            domains.add(closer.add(TestDevice.get().device().createProtectionDomain()));
            indexes.add(closer.add(RegistrationIndex.of(from, domains.get(i))));
            long key = indexes.get(i).localKey(address, CHUNK);
            assertThat(key).isNotEqualTo(NOT_REGISTERED);
            assertThat(Mappings.rights(address)).isEqualTo("rw-p");
        }
        buffer.release();
        if (kept) {
            assertThat(from.metric().registeredBytes()).isEqualTo(3 * CHUNK);
            assertThat(Mappings.rights(address)).isEqualTo("rw-p");
            from.trim();
        }
        assertThat(from.metric().registeredBytes()).isZero();
        assertThat(Mappings.rights(address)).isEqualTo("---p");
        for (int i = 0; i < 3; i++) {
            assertThat(indexes.get(i).localKey(address, CHUNK)).isEqualTo(NOT_REGISTERED);
            // Fails if the domain still has regions.
            domains.get(i).close();
        }
    }

    /**
     * A domain that has not deregistered the chunk yet, because another thread has its lock, also keeps the memory: the
     * device stops using it before it is released.
     */
    @Test
    void memoryIsReleasedAfterItsRegion() throws Exception {
        ByteBuf buffer = allocator.directBuffer(CHUNK, CHUNK);
        long address = buffer.memoryAddress();
        assertThat(index.localKey(address, CHUNK)).isNotEqualTo(NOT_REGISTERED);
        Thread releasing = new Thread(buffer::release, "releasing");
        synchronized (index) {
            releasing.start();
            Deadline.standard().until("the lock to be asked for",
                    () -> releasing.getState() == Thread.State.BLOCKED);
            assertThat(Mappings.rights(address)).isEqualTo("rw-p");
            assertThat(allocator.metric().committedBytes()).isEqualTo(CHUNK);
            assertThat(index.registeredBytes()).isEqualTo(CHUNK);
        }
        releasing.join();
        assertThat(Mappings.rights(address)).isEqualTo("---p");
        assertThat(allocator.metric().committedBytes()).isZero();
    }

    @Test
    void newMemoryAtOldAddressIsRegisteredAgain() {
        ByteBuf first = allocator.directBuffer(CHUNK, CHUNK);
        long address = first.memoryAddress();
        assertThat(index.localKey(address, CHUNK)).isNotEqualTo(NOT_REGISTERED);
        first.release();
        for (int round = 2; round < 10; round++) {
            ByteBuf next = allocator.directBuffer(CHUNK, CHUNK);
            assertThat(next.memoryAddress()).isEqualTo(address);
            assertThat(allocator.metric().registeredBytes()).as("no key was requested").isZero();
            long key = index.localKey(address, CHUNK);
            assertThat(key).isNotEqualTo(NOT_REGISTERED);
            assertThat(index.localKey(address + 1, 1)).isEqualTo(key);
            assertThat(allocator.metric().registrations()).isEqualTo(round);
            assertThat(allocator.metric().registeredBytes()).isEqualTo(CHUNK);
            next.release();
        }
    }

    /** Large chunks replace small ones, and the reverse: no key of the old ones is left. */
    @Test
    void chunksOfDifferentSizesReuseAddresses() throws Exception {
        ByteBuf large = allocator.directBuffer(3 * CHUNK, 3 * CHUNK);
        long start = large.memoryAddress();
        long largeKey = index.localKey(start, 3 * CHUNK);
        large.release();
        assertThat(largeKey).isNotEqualTo(NOT_REGISTERED);
        assertThat(chunk()).isEqualTo(start);
        assertThat(index.localKey(start, CHUNK)).isNotEqualTo(NOT_REGISTERED);
        assertNone(start + CHUNK, 1);
        assertNone(start + 2 * CHUNK, 1);
        assertThat(chunk()).isEqualTo(start + CHUNK);
        assertNone(start, 2 * CHUNK);
        assertThat(allocator.metric().registeredBytes()).isEqualTo(CHUNK);
    }

    @Test
    void requiredKeyEqualsTheLocalKey() throws Exception {
        long start = chunk();
        int required = index.requireLocalKey(start + 10, 100);
        assertThat(index.localKey(start, CHUNK)).isEqualTo(Integer.toUnsignedLong(required));
        assertThat(index.requireLocalKey(start, CHUNK)).isEqualTo(required);
        assertThat(allocator.metric().registrations()).isEqualTo(1);
    }

    /** The allocator keeps serving others, and the memory is released in the end. */
    @Test
    void closedIndexHasNoKeys() throws Exception {
        ByteBuf buffer = allocator.directBuffer(CHUNK, CHUNK);
        long address = buffer.memoryAddress();
        assertThat(index.localKey(address, CHUNK)).isNotEqualTo(NOT_REGISTERED);
        index.close();
        index.close();
        assertThat(index.registeredBytes()).isZero();
        assertThat(allocator.metric().registeredBytesByDevice()).isEmpty();
        assertThat(index.localKey(address, CHUNK)).isEqualTo(NOT_REGISTERED);
        assertThatIllegalStateException().isThrownBy(() -> index.requireLocalKey(address, CHUNK))
                .withMessageContaining("is closed");
        buffer.setLong(CHUNK - Long.BYTES, 1);
        domain.close();
        buffer.release();
        assertThat(allocator.metric().committedBytes()).isZero();
    }

    private void assertNone(long address, int length) throws Exception {
        assertThat(index.localKey(address, length)).as("key of %d bytes at %x", length, address)
                .isEqualTo(NOT_REGISTERED);
        long before = index.registrations();
        assertThatIllegalArgumentException().isThrownBy(() -> index.requireLocalKey(address, length))
                .withMessageContaining("0x" + Long.toHexString(address));
        assertThat(index.registrations()).isEqualTo(before);
    }

    /** The address of a buffer that fills a whole chunk. */
    private long chunk() {
        return buffer(CHUNK).memoryAddress();
    }

    /** Released after the test. */
    private ByteBuf buffer(int size) {
        ByteBuf buffer = allocator.directBuffer(size, size);
        buffers.add(buffer);
        return buffer;
    }
}
