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
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import io.nettyrdma.support.Seed;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The buffers of one test, and its random numbers. At the end of the test it releases the buffers that it has made, and
 * fails a test that has left another reference or another buffer. Netty's leak detector is off meanwhile: it would add
 * a stack trace to each access, and this finds all leaks, not only those that the garbage collector happens to find.
 *
 * Random numbers are the same in every test, from one seed that is printed; {@code -Dio.nettyrdma.test.seed} repeats
 * it.
 */
final class TestBuffers implements BeforeEachCallback, AfterEachCallback {

    static {
        System.out.println("random numbers: -D" + Seed.PROPERTY + '=' + Seed.VALUE);
    }

    private final Deque<ByteBuf> made = new ArrayDeque<>();
    private Random random;
    private Level levelBefore;
    private long inUseBefore;

    @Override
    public void beforeEach(ExtensionContext context) {
        random = new Random(Seed.VALUE);
        levelBefore = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(Level.DISABLED);
        inUseBefore = TestAllocator.inUse();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        ResourceLeakDetector.setLevel(levelBefore);
        made.forEach(ByteBuf::release);
        // A failed test may have left anything.
        if (context.getExecutionException().isEmpty()) {
            assertThat(made).as("released once more than by the test").allMatch(each -> each.refCnt() == 0);
            assertThat(TestAllocator.inUse()).as("bytes in use after the test").isEqualTo(inUseBefore);
        }
    }

    Random random() {
        return random;
    }

    byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    ByteBuf direct(int capacity) {
        return keep(TestAllocator.get().directBuffer(capacity));
    }

    ByteBuf direct(int capacity, int maxCapacity) {
        return keep(TestAllocator.get().directBuffer(capacity, maxCapacity));
    }

    /** A full buffer that cannot grow. */
    ByteBuf direct(byte[] content) {
        return direct(content.length, content.length).writeBytes(content);
    }

    ByteBuf leakAware(int capacity, int maxCapacity) {
        return keep(newLeakAware(capacity, maxCapacity));
    }

    /** A buffer as Netty's leak detector wraps it in its strictest mode. The caller releases it. */
    static ByteBuf newLeakAware(int capacity, int maxCapacity) {
        ResourceLeakDetector.setLevel(Level.PARANOID);
        try {
            return TestAllocator.get().directBuffer(capacity, maxCapacity);
        } finally {
            ResourceLeakDetector.setLevel(Level.DISABLED);
        }
    }

    /** The test must not release it: by the end its object may be another buffer. */
    <T extends ByteBuf> T keep(T buffer) {
        made.push(buffer);
        return buffer;
    }

    /** All bytes, whatever the indexes. */
    static byte[] content(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** From the reader index to the writer index, without moving them. */
    static byte[] readable(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), bytes);
        return bytes;
    }
}
