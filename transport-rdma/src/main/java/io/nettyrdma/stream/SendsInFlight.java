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

import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * Frames that the device has, or is about to get, in their order: what memory each holds, and how far the messages
 * are sent with it. A completion ends all frames up to its own, since only some of them are signaled.
 *
 * <pre>
 *   completed | head ... posted | written ... tail |
 *             |  the device's   |  in the batch    |
 *
 *   references:  frame 7: 2     frame 8: 0    frame 9: 1      a ring of their own, in the same order
 *                [ b1 b2 ]                    [ b3 ]
 * </pre>
 */
final class SendsInFlight {

    private final StagingSlots staging;
    private final int[] slots;
    private final int[] messages;
    private final long[] bytesOfNext;
    private final int[] references;
    private final ReferenceCounted[] held;

    /** Numbers of frames, counted on without end. */
    private int head;
    private int posted;
    private int tail;

    private int heldHead;
    private int heldTail;
    /** References of the frame that comes next. */
    private int heldForNext;

    /**
     * @param depth frames that there can be.
     * @param maxReferences references that one frame can hold.
     */
    SendsInFlight(StagingSlots staging, int depth, int maxReferences) {
        int size = powerOfTwo(depth);
        this.staging = staging;
        slots = new int[size];
        messages = new int[size];
        bytesOfNext = new long[size];
        references = new int[size];
        held = new ReferenceCounted[powerOfTwo(Math.multiplyExact(depth, maxReferences))];
    }

    /** The next frame will send memory of {@code message}: takes a reference. */
    void hold(ReferenceCounted message) {
        held[heldTail & held.length - 1] = message.retain();
        heldTail++;
        heldForNext++;
    }

    /**
     * The next frame, with what was held for it; returns its number.
     *
     * @param sent how far the messages are with it, as {@link OutboundMessages} counts them.
     * @param sentOfNext bytes of the message after those.
     */
    int add(int slot, int sent, long sentOfNext) {
        int at = tail & slots.length - 1;
        slots[at] = slot;
        messages[at] = sent;
        bytesOfNext[at] = sentOfNext;
        references[at] = heldForNext;
        heldForNext = 0;
        return tail++;
    }

    /** A frame that went inline needs its slot no longer. */
    void giveSlot(int frame) {
        int at = frame & slots.length - 1;
        if (slots[at] != StagingSlots.NONE) {
            staging.give(slots[at]);
            slots[at] = StagingSlots.NONE;
        }
    }

    /** The device has {@code count} frames more. */
    void posted(int count) {
        posted += count;
    }

    /** Whether the device has the frame, as far as it was said to. */
    boolean has(int number) {
        int count = (number - head & WorkRequestId.MAX_NUMBER) + 1;
        return count > 0 && count <= posted - head;
    }

    /** A completion says that the device is through with a frame and all before it, whose messages are done. */
    void completed(int number, OutboundMessages outbound) {
        int count = (number - head & WorkRequestId.MAX_NUMBER) + 1;
        if (!has(number)) {
            throw new IllegalStateException("frame " + number + " completed, the device has "
                    + (posted - head) + " from " + (head & WorkRequestId.MAX_NUMBER) + " on");
        }
        int last = head + count - 1 & slots.length - 1;
        outbound.done(messages[last], bytesOfNext[last]);
        for (; count > 0; count--) {
            end(head++);
        }
    }

    /** Frames that the device did not get give back what they hold. */
    void dropUnposted() {
        for (; heldForNext > 0; heldForNext--) {
            releaseLast();
        }
        while (tail != posted) {
            tail--;
            for (int count = references[tail & slots.length - 1]; count > 0; count--) {
                releaseLast();
            }
            giveSlot(tail);
        }
    }

    /** The device will touch none of the memory any more. */
    void releaseAll() {
        dropUnposted();
        while (head != tail) {
            end(head++);
        }
    }

    /** Frames, posted or not, that take a place in the send queue. */
    int size() {
        return tail - head;
    }

    /** Whether some of them are sent from where the application has put them. */
    boolean holdsMessages() {
        return heldHead != heldTail;
    }

    boolean isCompleted(int frame) {
        return frame - head < 0;
    }

    private void end(int frame) {
        for (int count = references[frame & slots.length - 1]; count > 0; count--) {
            release(heldHead++ & held.length - 1);
        }
        giveSlot(frame);
    }

    private void releaseLast() {
        release(--heldTail & held.length - 1);
    }

    private void release(int at) {
        ReferenceCounted message = held[at];
        held[at] = null;
        ReferenceCountUtil.safeRelease(message);
    }

    private static int powerOfTwo(int least) {
        return least <= 1 ? 1 : Integer.highestOneBit(least - 1) << 1;
    }
}
