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
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.SwappedByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.buffer.RegisteredByteBuf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Frames without slots, because slots need a device. */
class SendsInFlightTest {

    private static final int NO_SLOT = StagingSlots.NONE;
    private static final int DEPTH = 5;

    private final SendsInFlight inFlight = new SendsInFlight(null, DEPTH);
    private final OutboundMessages outbound = new OutboundMessages();

    /** Adds a frame that ends a message and holds each buffer. */
    private int add(ByteBuf... held) {
        for (ByteBuf each : held) {
            hold(each);
        }
        outbound.gathered(1);
        outbound.ended();
        return inFlight.add(NO_SLOT, outbound.sent(), outbound.sentOf());
    }

    private void hold(ByteBuf buffer) {
        inFlight.hold(RegisteredByteBuf.of(buffer), buffer);
    }

    /** Without a leak record, which would count as a wrapper. */
    private static ByteBuf buffer() {
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try {
            return RdmaByteBufAllocator.DEFAULT.directBuffer();
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private void completed(int number) {
        inFlight.completed(number, outbound);
    }

    @Test
    void completionRetiresAllEarlierFrames() {
        ByteBuf first = buffer();
        ByteBuf second = buffer();
        int one = add(first);
        int two = add(first, second);
        int three = add(second);
        inFlight.posted(3);
        assertThat(first.refCnt()).isEqualTo(3);
        completed(two);
        assertThat(outbound.isWaiting()).as("the third message waits").isTrue();
        assertThat(inFlight.isCompleted(one)).isTrue();
        assertThat(inFlight.isCompleted(two)).isTrue();
        assertThat(inFlight.isCompleted(three)).isFalse();
        assertThat(first.refCnt()).isEqualTo(1);
        assertThat(second.refCnt()).isEqualTo(2);
        assertThat(inFlight.size()).isEqualTo(1);
        completed(three);
        assertThat(outbound.isWaiting()).isFalse();
        assertThat(second.refCnt()).isEqualTo(1);
        assertThat(inFlight.size()).isZero();
        first.release();
        second.release();
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, 2, 3, Integer.MAX_VALUE })
    void completionOfUnpostedRequestIsRefused(int number) {
        add();
        add();
        inFlight.posted(2);
        completed(0);
        add();
        assertThatIllegalStateException().isThrownBy(() -> completed(number))
                .withMessage("frame " + number + " completed, the device has 1 from 1 on");
        assertThat(inFlight.size()).isEqualTo(2);
    }

    @Test
    void messagesAreRetainedUntilTheirFramesComplete() {
        ByteBuf buffer = buffer();
        add();
        assertThat(inFlight.holdsMessages()).isFalse();
        add(buffer);
        inFlight.posted(2);
        completed(0);
        assertThat(inFlight.holdsMessages()).isTrue();
        completed(1);
        assertThat(inFlight.holdsMessages()).isFalse();
        buffer.release();
    }

    @Test
    void aFrameCannotCompleteTwice() {
        add();
        inFlight.posted(1);
        completed(0);
        assertThatIllegalStateException().isThrownBy(() -> completed(0));
    }

    @Test
    void unpostedRequestsAreDroppedInReverse() {
        ByteBuf posted = buffer();
        ByteBuf dropped = buffer();
        ByteBuf unfinished = buffer();
        add(posted);
        add(dropped, dropped);
        add();
        hold(unfinished);
        inFlight.posted(1);
        inFlight.dropUnposted();
        assertThat(posted.refCnt()).isEqualTo(2);
        assertThat(dropped.refCnt()).isEqualTo(1);
        assertThat(unfinished.refCnt()).isEqualTo(1);
        assertThat(inFlight.size()).isEqualTo(1);
        assertThat(add(dropped)).as("its number is the next").isEqualTo(1);
        inFlight.posted(1);
        completed(1);
        assertThat(posted.refCnt() + dropped.refCnt() + unfinished.refCnt()).isEqualTo(3);
        posted.release();
        dropped.release();
        unfinished.release();
    }

    @Test
    void removedDeviceReleasesEverythingOnce() {
        ByteBuf buffer = buffer();
        add(buffer);
        add(buffer, buffer);
        inFlight.posted(1);
        hold(buffer);
        assertThat(buffer.refCnt()).isEqualTo(5);
        inFlight.releaseAll();
        inFlight.releaseAll();
        assertThat(buffer.refCnt()).isEqualTo(1);
        assertThat(inFlight.size()).isZero();
        buffer.release();
    }

    /** The ring of references grows while it is wrapped around, and gives them back in order. */
    @Test
    void frameHoldsManyBuffers() {
        ByteBuf first = buffer();
        ByteBuf many = buffer();
        ByteBuf last = buffer();
        add(many, many, many, many, many);
        inFlight.posted(1);
        completed(0);
        add(first);
        for (int i = 0; i < 40; i++) {
            hold(many);
        }
        add();
        add(last);
        inFlight.posted(3);
        completed(1);
        assertThat(first.refCnt()).isEqualTo(1);
        assertThat(many.refCnt()).isEqualTo(41);
        completed(2);
        assertThat(many.refCnt()).isEqualTo(1);
        assertThat(last.refCnt()).isEqualTo(2);
        completed(3);
        assertThat(last.refCnt()).isEqualTo(1);
        first.release();
        many.release();
        last.release();
    }

    /** The rings wrap around many times; frames and references stay together. */
    @Test
    void completionReleasesTheSlotOfItsFrame() {
        Deque<ByteBuf> expected = new ArrayDeque<>();
        for (int number = 0; number < 1000; number++) {
            ByteBuf buffer = buffer();
            expected.add(buffer);
            assertThat(add(number % 3 == 0 ? new ByteBuf[] { buffer, buffer } : new ByteBuf[] { buffer }))
                    .isEqualTo(number);
            buffer.release();
            inFlight.posted(1);
            if (inFlight.size() == DEPTH) {
                ByteBuf oldest = expected.remove();
                completed(number - DEPTH + 1);
                assertThat(oldest.refCnt()).as("frame %d", number - DEPTH + 1).isZero();
                assertThat(expected).allMatch(each -> each.refCnt() > 0);
            }
        }
        inFlight.releaseAll();
        assertThat(expected).hasSize(DEPTH - 1).allMatch(each -> each.refCnt() == 0);
    }

    /** A slice passes its references on, so one reference is enough, and costs one change of a count. */
    @Test
    void sliceIsRetainedByOneReference() {
        ByteBuf buffer = buffer();
        add(buffer.slice(), buffer.duplicate().asReadOnly());
        assertThat(buffer.refCnt()).isEqualTo(3);
        inFlight.releaseAll();
        assertThat(buffer.release()).isTrue();
    }

    @Test
    void aWrapperThatIgnoresReferencesReleasesNothing() {
        ByteBuf buffer = buffer();
        add(Unpooled.unreleasableBuffer(buffer).slice());
        inFlight.posted(1);
        assertThat(buffer.release()).as("the last reference").isFalse();
        completed(0);
        assertThat(buffer.refCnt()).isZero();
    }

    /** The leak record of a wrapper ends with the release that frees the buffer. */
    @Test
    void aWrappersReferenceIsReleasedLast() {
        Wrapper wrapper = new Wrapper(buffer());
        add(Unpooled.unreleasableBuffer(wrapper));
        inFlight.posted(1);
        wrapper.release();
        completed(0);
        assertThat(wrapper.refCnt()).isZero();
        assertThat(wrapper.released).containsExactly(false, true);
    }

    /** Records what its releases return. */
    @SuppressWarnings("deprecation")
    private static final class Wrapper extends SwappedByteBuf {

        private final List<Boolean> released = new ArrayList<>();

        private Wrapper(ByteBuf buffer) {
            super(buffer);
        }

        @Override
        public boolean release() {
            released.add(super.release());
            return released.get(released.size() - 1);
        }
    }
}
