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
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.memory.SlotPool;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.CreditWindow;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;

/**
 * Sends frames as SENDs of a queue pair, into receives that the peer has posted and advertised as credits. FIN and
 * ABORT are signaled: a close waits for their completion. {@link SendQueue} decides about the others.
 *
 * <p>An inline frame holds nothing after the post. But its bytes may follow bytes that the device still gathers from a
 * message, and then they leave the outbound buffer after those.
 */
final class SendPath implements FramePath {

    private final SendQueue queue;
    private final StagingSlots staging;
    private final CreditWindow credits;
    private final CreditDebt debt;
    private final OutboundMessages outbound;
    private final SlotFrame frame;
    private final int longestMessage;

    /**
     * @param staging slots of {@code pool} for headers and copied bytes.
     * @param outbound the messages whose progress the frames record.
     * @param longestMessage bytes that a message of the device may have.
     */
    SendPath(SendQueue queue, SlotPool pool, StagingSlots staging, CreditWindow credits, CreditDebt debt,
             OutboundMessages outbound, int longestMessage) {
        this.queue = queue;
        this.staging = staging;
        this.credits = credits;
        this.debt = debt;
        this.outbound = outbound;
        this.longestMessage = longestMessage;
        frame = new SlotFrame(pool, queue.maxSge());
    }

    @Override
    public void open() throws IOException {
        staging.open();
    }

    @Override
    public void connected(ConnectData peer) {
        credits.begin(peer.granted(), peer.buffer());
        if (peer.takesSizes()) {
            debt.announce();
        }
    }

    @Override
    public boolean isReady() {
        return queue.isReady();
    }

    @Override
    public void advertised(int granted, int receive) throws ProtocolException {
        credits.granted(granted, receive);
    }

    @Override
    public boolean isAdvertisementDue() {
        return debt.isDue();
    }

    @Override
    public int credits() {
        return credits.available();
    }

    @Override
    public int inFlight() {
        return queue.inFlight();
    }

    /** The header takes one SGE. */
    @Override
    public boolean canGather() {
        return queue.maxSge() > 1;
    }

    @Override
    public Room begin(FrameType type, int copies) {
        if (!(type == FrameType.DATA ? credits.maySendData() : credits.maySendControl())) {
            return Room.NEEDS_PEER;
        }
        Room room = queue.room();
        if (room != Room.READY) {
            return room;
        }
        int longest = Math.min(credits.limit(), longestMessage);
        int slot = staging.take(Math.min(longest, FrameHeader.SIZE + copies));
        if (slot == StagingSlots.NONE) {
            return queue.roomWithoutSlot();
        }
        frame.begin(slot, longest);
        return Room.READY;
    }

    @Override
    public OutgoingFrame frame() {
        return frame;
    }

    @Override
    public boolean isInline() {
        return frame.isCopied() && frame.length() <= queue.maxInline();
    }

    @Override
    public void hold(RegisteredByteBuf owner, ByteBuf buffer) {
        queue.hold(owner, buffer);
    }

    @Override
    public int end(FrameType type) {
        int number = queue.add(frame.slot());
        queue.batch().send(queue.id(WorkRequestId.Kind.SEND, number));
        frame.write(queue.batch(), type, debt);
        debt.advertised(type);
        credits.sent();
        boolean isInline = isInline();
        if (isInline) {
            queue.inline(number);
        }
        frame.end();
        queue.added(number, !isInline || type == FrameType.DATA && outbound.isWaiting());
        if (type == FrameType.FIN || type == FrameType.ABORT) {
            queue.signal();
        }
        return number;
    }

    @Override
    public void drop() {
        staging.give(frame.slot());
        frame.end();
    }

    @Override
    public void post() throws VerbsException {
        queue.post();
    }

    @Override
    public boolean isInFlight(int number) {
        return queue.isInFlight(number);
    }

    @Override
    public void completed(int number) {
        queue.completed(number);
    }

    @Override
    public boolean isCompleted(int number) {
        return queue.isCompleted(number);
    }

    @Override
    public boolean awaitsCompletions() {
        return queue.awaitsCompletions();
    }

    @Override
    public boolean holdsMessages() {
        return queue.holdsMessages();
    }

    @Override
    public void release() {
        queue.release();
        staging.close();
    }

    @Override
    public String toString() {
        return queue.toString();
    }
}
