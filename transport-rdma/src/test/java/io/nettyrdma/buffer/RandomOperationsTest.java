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
import io.netty.util.concurrent.FastThreadLocalThread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Random operations of every kind on many live buffers. Each buffer has a model and is compared with it after each
 * step.
 */
class RandomOperationsTest {

    private static final int STEPS = 100_000;
    private static final int STEPS_BETWEEN_ALL = 2000;
    private static final int FEW = 30;
    private static final int MANY = 120;

    @RegisterExtension
    final TestBuffers buffers = new TestBuffers();

    private final List<ModelBuffer> live = new ArrayList<>();
    private Random random;
    private RandomCalls calls;
    private int moves;
    private int views;

    @Test
    void buffersMatchTheirModels() {
        run();
    }

    /** Such a thread has a cache, like that of an event loop. */
    @Test
    void buffersOfAnEventLoopMatchTheirModels() throws Throwable {
        Throwable[] thrown = new Throwable[1];
        Thread thread = new FastThreadLocalThread(this::run);
        thread.setUncaughtExceptionHandler((ended, e) -> thrown[0] = e);
        thread.start();
        thread.join();
        if (thrown[0] != null) {
            throw thrown[0];
        }
    }

    private void run() {
        random = buffers.random();
        calls = new RandomCalls(random, live);
        for (int step = 0; step < STEPS; step++) {
            step(step);
            if (step % STEPS_BETWEEN_ALL == 0) {
                live.forEach(each -> each.check(true));
            }
        }
        while (!live.isEmpty()) {
            live.get(0).check(true);
            release(live.get(0));
        }
        assertThat(moves).as("buffers that have moved").isGreaterThan(100);
        assertThat(views).as("views").isGreaterThan(100);
    }

    private void step(int step) {
        if (live.size() < FEW || live.size() < MANY && random.nextInt(20) == 0) {
            live.add(ModelBuffer.of(newBuffer()));
        }
        ModelBuffer model = live.get(random.nextInt(live.size()));
        try {
            int kind = random.nextInt(100);
            if (kind < 4 || live.size() > MANY || model.capacity() > TestAllocator.CHUNK && kind < 20) {
                model.check(true);
                release(model);
                return;
            } else if (kind < 8) {
                live.add(view(model));
            } else if (kind < 16) {
                changeCapacity(model);
            } else {
                calls.call(model);
            }
            model.check(random.nextInt(64) == 0);
        } catch (Throwable e) {
            throw new AssertionError("step " + step + ", " + model.buffer, e);
        }
    }

    private void release(ModelBuffer model) {
        live.remove(model);
        boolean last = model.release();
        assertThat(model.buffer.refCnt() == 0 || !last).as("%s", model.buffer).isTrue();
    }

    private ByteBuf newBuffer() {
        int capacity = size();
        return switch (random.nextInt(3)) {
            case 0 -> TestAllocator.get().directBuffer(capacity);
            case 1 -> TestAllocator.get().directBuffer(capacity, Math.max(1, capacity));
            default -> TestAllocator.get().directBuffer(capacity, 2 * capacity + 100);
        };
    }

    /** Mostly small; one in a few hundred has its own chunk. */
    private int size() {
        return random.nextInt(300) == 0 ? TestAllocator.CHUNK - 1000 + random.nextInt(1 << 20)
                : random.nextInt(1 << 1 + random.nextInt(random.nextInt(10) == 0 ? 18 : 13));
    }

    private ModelBuffer view(ModelBuffer model) {
        views++;
        ByteBuf buffer = model.buffer;
        int length = random.nextInt(model.capacity() + 1);
        int index = random.nextInt(model.capacity() - length + 1);
        switch (random.nextInt(5)) {
            case 0:
                return model.duplicate(buffer.retainedDuplicate());
            case 1:
                return model.slice(buffer.retainedSlice(index, length), index, length);
            case 2:
                return model.slice(buffer.retainedSlice(), model.reader, model.writer - model.reader);
            case 3:
                int readable = random.nextInt(model.writer - model.reader + 1);
                ModelBuffer slice = model.slice(buffer.readRetainedSlice(readable), model.reader, readable);
                model.reader += readable;
                return slice;
            default:
                ModelBuffer copy = ModelBuffer.of(buffer.copy(index, length));
                copy.check(true);
                assertThat(TestBuffers.readable(copy.buffer)).isEqualTo(model.copy(index, length));
                return copy;
        }
    }

    private void changeCapacity(ModelBuffer model) {
        if (model.isSlice()) {
            return;
        }
        long address = model.buffer.hasMemoryAddress() ? model.buffer.memoryAddress() : 0;
        int capacity = size();
        if (random.nextBoolean()) {
            ensureWritable(model, calls.length());
        } else if (capacity > model.maxCapacity()) {
            assertThatIllegalArgumentException().isThrownBy(() -> model.buffer.capacity(capacity));
        } else if (capacity >= model.capacity() || !model.isShared() && !model.isView()) {
            // A buffer with views never shrinks, because that does not adjust the views' indexes.
            model.buffer.capacity(capacity);
            assertThat(model.buffer.capacity()).isEqualTo(capacity);
            model.adoptCapacity(Integer.MAX_VALUE);
        }
        if (model.buffer.hasMemoryAddress() && model.buffer.memoryAddress() != address) {
            moves++;
        }
    }

    private void ensureWritable(ModelBuffer model, int wanted) {
        int before = model.capacity();
        boolean enough = wanted <= before - model.writer;
        boolean possible = wanted <= model.maxCapacity() - model.writer;
        boolean force = random.nextBoolean();
        int result = model.buffer.ensureWritable(wanted, force);
        model.adoptCapacity(Integer.MAX_VALUE);
        int expected = enough ? 0 : possible ? 2 : force && before < model.maxCapacity() ? 3 : 1;
        assertThat(result).isEqualTo(expected);
        if (possible) {
            assertThat(model.capacity() - model.writer).isGreaterThanOrEqualTo(wanted);
        }
        assertThat(model.capacity() == before).isEqualTo(result < 2);
    }
}
