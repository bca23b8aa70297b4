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
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.verbs.WorkRequestId;

/**
 * Frames that are posted or in the batch, in order: the memory that each holds, and the progress of the messages with
 * it. A completion retires all frames up to its own, because only some are signaled.
 *
 * <pre>
 *   completed | head ... posted | written ... tail |
 *             |  the device's   |  in the batch    |
 *
 *   references:  frame 7: 2     frame 8: 0    frame 9: 1      a separate ring, in the same order
 *                [ b1 b2 ]                    [ b3 ]
 * </pre>
 */
final class SendsInFlight {

    private static final int FEW = 8;

    private final StagingSlots staging;
    private final int[] slots;
    private final int[] messages;
    private final long[] bytesOfNext;
    private final int[] references;
    /** Grows: a connection that sends only copies holds none. */
    private ReferenceCounted[] held = new ReferenceCounted[FEW];

    /** Numbers of frames, which are never reset. */
    private int head;
    private int posted;
    private int tail;

    private int heldHead;
    private int heldTail;
    /** References that the next frame will hold. */
    private int heldForNext;

    /** @param depth maximum of frames. */
    SendsInFlight(StagingSlots staging, int depth) {
        int size = powerOfTwo(depth);
        this.staging = staging;
        slots = new int[size];
        messages = new int[size];
        bytesOfNext = new long[size];
        references = new int[size];
    }

    /** The device accesses memory of {@code owner} for the next frame, see {@link FramePath#hold}. */
    void hold(RegisteredByteBuf owner, ByteBuf buffer) {
        if (heldTail - heldHead == held.length) {
            widen();
        }
        held[heldTail & held.length - 1] = owner.hold(buffer);
        heldTail++;
        heldForNext++;
    }

    private void widen() {
        ReferenceCounted[] wider = new ReferenceCounted[2 * held.length];
        for (int i = heldHead; i != heldTail; i++) {
            wider[i & wider.length - 1] = held[i & held.length - 1];
        }
        held = wider;
    }

    /**
     * Adds the next frame, with the references held for it. Returns its number.
     *
     * @param sent messages that are sent to their end with it, as {@link OutboundMessages} counts them.
     * @param sentOfNext bytes that are sent of the message after those.
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

    /** Gives back the slot of a frame that was sent inline or has completed. */
    void giveSlot(int frame) {
        int at = frame & slots.length - 1;
        if (slots[at] != StagingSlots.NONE) {
            staging.give(slots[at]);
            slots[at] = StagingSlots.NONE;
        }
    }

    /** {@code count} further frames are posted. */
    void posted(int count) {
        posted += count;
    }

    /** Whether the frame is in flight, according to the results of the posts. */
    boolean has(int number) {
        return (number - head & WorkRequestId.MAX_NUMBER) < posted - head;
    }

    /** A frame completed: retires it and all frames before it, and marks their messages as done. */
    void completed(int number, OutboundMessages outbound) {
        if (!has(number)) {
            throw new IllegalStateException("frame " + number + " completed, the device has "
                    + (posted - head) + " from " + (head & WorkRequestId.MAX_NUMBER) + " on");
        }
        int count = (number - head & WorkRequestId.MAX_NUMBER) + 1;
        int last = head + count - 1 & slots.length - 1;
        outbound.done(messages[last], bytesOfNext[last]);
        for (; count > 0; count--) {
            end(head++);
        }
    }

    /** Drops frames that were not posted, and gives back what they hold. */
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

    /** The device accesses none of the memory any more: gives all of it back. */
    void releaseAll() {
        dropUnposted();
        while (head != tail) {
            end(head++);
        }
    }

    /** Frames, posted or not, that take an entry of the send queue. */
    int size() {
        return tail - head;
    }

    /** Whether some of them gather from the application's buffers. */
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
        ReferenceCounted released = held[at];
        held[at] = null;
        ReferenceCountUtil.safeRelease(released);
    }

    private static int powerOfTwo(int min) {
        return min <= 1 ? 1 : Integer.highestOneBit(min - 1) << 1;
    }
}
