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
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/**
 * Turns the messages of Netty's outbound buffer, and the stream's control frames, into frames.
 *
 * <p>Small or unregistered bytes are copied, those of many messages into one frame, and leave the outbound buffer when
 * they are posted. Large registered ones are gathered: each frame holds a reference to the message until its
 * completion. Then the bytes, and all that follow them, leave the outbound buffer.
 */
final class StreamSender implements ChannelOutboundBuffer.MessageProcessor {

    /**
     * <pre>
     *   SENDING --the device refuses a post, because the connection has ended--&gt; REFUSED
     *      |                                                                       |
     *      +--any other failure, or the end of the stream--&gt; BROKEN &lt;--------------+
     * </pre>
     */
    private enum State {

        SENDING,

        /** Nothing more is sent. What the device took before may have arrived: its completions still count. */
        REFUSED,

        /** Nothing leaves the outbound buffer any more. */
        BROKEN
    }

    private final FramePath path;
    private final RemoteOperations operations;
    private final OutgoingFrame frame;
    private final OutboundMessages outbound;
    private final ControlFrames control;
    private final RegisteredMemory registered;
    private final CreditDebt debt;
    private final RdmaCounters counters;
    private final int zeroCopyThreshold;
    private State state = State.SENDING;

    /** State of the present flush. */
    private boolean writing;
    private int skip;
    /** Why a frame could not be begun; READY if all could. */
    private FramePath.Room room;
    private boolean again;
    private ByteBuf heldByFrame;

    /** The readable bytes of a partly sent buffer when its first byte was sent, wherever its indices are now. */
    private int bufferIndex;
    private int bufferLength;
    /** A region had bytes that no frame had room for. */
    private boolean regionIsCut;
    /** The last frame with data, or request of a remote operation. */
    private int lastData = -1;

    /**
     * @param outbound the messages whose progress the path's frames record.
     * @param registered the memory that can be gathered.
     * @param zeroCopyThreshold bytes from which registered memory is gathered, if the path can.
     */
    StreamSender(FramePath path, RemoteOperations operations, OutboundMessages outbound, ControlFrames control,
                 RegisteredMemory registered, int zeroCopyThreshold, CreditDebt debt, RdmaCounters counters) {
        this.path = path;
        this.operations = operations;
        this.outbound = outbound;
        this.control = control;
        this.registered = registered;
        this.debt = debt;
        this.counters = counters;
        this.zeroCopyThreshold = path.canGather() ? zeroCopyThreshold : Integer.MAX_VALUE;
        frame = path.frame();
    }

    /** The control frames; the next flush sends those that are requested. */
    ControlFrames control() {
        return control;
    }

    /**
     * Sends as much as may be sent. May be called from within: a flush by a promise's listener sends at once, and a
     * flush by a file region that is being read is made up for at the end of this one.
     *
     * @param from {@code null} if the outbound buffer is gone and its messages have been dealt with.
     * @param everything whether DATA and FIN are sent too; otherwise only the other control frames.
     */
    void flush(ChannelOutboundBuffer from, boolean everything) throws IOException {
        if (isBroken()) {
            return;
        }
        if (writing) {
            again = true;
            return;
        }
        check(from);
        FramePath.Room left;
        boolean more;
        do {
            Throwable failure = null;
            writing = true;
            outbound.beginFlush();
            try {
                write(from, everything);
            } catch (Throwable e) {
                failure = e;
            }
            writing = false;
            left = room;
            more = again;
            // Frames written before a message failed are sent all the same.
            post(failure);
            // This comes last, because listeners of promises flush within it.
            outbound.remove(from);
            rethrow(failure);
        } while (more && !isBroken());
        count(left);
    }

    private void check(ChannelOutboundBuffer from) throws IOException {
        if (from != null) {
            try {
                outbound.check(from);
            } catch (IOException e) {
                breakOff();
                throw e;
            }
        }
    }

    private void count(FramePath.Room left) {
        if (left == FramePath.Room.NO_CREDIT) {
            counters.increment(RdmaCounter.FLUSHES_WITHOUT_CREDIT);
        } else if (left == FramePath.Room.QUEUE_FULL) {
            counters.increment(RdmaCounter.FLUSHES_WITH_FULL_QUEUE);
        }
    }

    /**
     * Requests FIN behind the messages flushed so far, as many of them as have no more than {@code most} unsent bytes
     * together. A second call changes nothing.
     */
    void end(ChannelOutboundBuffer from, long most) {
        outbound.endAfter(LastMessages.of(from, outbound, most).unsent());
        control.fin();
    }

    /** See {@link RdmaStream#lastMessages}. */
    int lastMessages(ChannelOutboundBuffer from, long most) {
        return LastMessages.of(from, outbound, most).all();
    }

    /** Requests FIN directly behind what is already sent. */
    void endHere() {
        outbound.endHere();
        control.fin();
    }

    /**
     * A frame completed. Gives back what it and the frames before it held.
     *
     * @param from the outbound buffer to remove messages from; {@code null} if it is gone.
     */
    void completed(int number, boolean success, ChannelOutboundBuffer from) {
        if (!success && isBroken() && !path.isInFlight(number)) {
            // libsiw queues a request before the kernel refuses it, and the queued request is flushed.
            return;
        }
        path.completed(number);
        if (!success) {
            breakOff();
        } else if (state != State.BROKEN) {
            if (path.isCompleted(lastData)) {
                // Empty messages may follow it.
                outbound.allDone();
            }
            outbound.remove(from);
        }
    }

    /** Whether the device can write to this memory. */
    boolean isRegistered(ByteBuf buffer, int index, int length) {
        return operations.isRegistered(buffer, index, length);
    }

    /** Stops sending. Nothing leaves the outbound buffer any more; frames in flight keep the memory that they hold. */
    void breakOff() {
        state = State.BROKEN;
        outbound.giveUp();
    }

    /** Whether nothing is sent any more. */
    boolean isBroken() {
        return state != State.SENDING;
    }

    /** Whether FIN or ABORT was sent and acknowledged, and so everything before it. */
    boolean isDrained() {
        return control.isLastWordSent() && path.isCompleted(control.lastWord());
    }

    /** Whether completions are still to come. A frame that nobody waits for produces none. */
    boolean awaitsCompletions() {
        return path.awaitsCompletions();
    }

    /** Whether the device may still read the application's buffers. */
    boolean holdsMessages() {
        return path.holdsMessages();
    }

    /** The device accesses no memory any more: gives all of it back. */
    void release() {
        breakOff();
        path.release();
    }

    /** Sends a message of the outbound buffer, within a flush. Returns false when no more can be sent. */
    @Override
    public boolean processMessage(Object message) throws Exception {
        if (OutboundMessages.isUncounted(message)) {
            return true;
        }
        if (skip > 0) {
            skip--;
            return true;
        }
        if (outbound.isAtEnd()) {
            return false;
        }
        if (message instanceof RemoteOperation operation) {
            return sendOperation(operation);
        }
        if (!(message instanceof ByteBuf buffer ? sendBuffer(buffer) : sendRegion((FileRegion) message))) {
            return false;
        }
        regionIsCut = false;
        outbound.ended();
        return true;
    }

    /** Fills the batch. Control frames that somebody waits for go first, FIN and CREDIT last. */
    private void write(ChannelOutboundBuffer from, boolean everything) throws Exception {
        room = FramePath.Room.READY;
        again = false;
        for (FrameType type = control.first(); type != null && sendControl(type);) {
            type = control.first();
        }
        if (control.isAborted()) {
            return;
        }
        if (everything && !control.isLastWordSent()) {
            try {
                sendData(from);
            } finally {
                endFrame();
            }
            if (control.isFinWanted() && outbound.isAtEnd() && room == FramePath.Room.READY && !again) {
                sendControl(FrameType.FIN);
            }
        }
        if (debt.isDue()) {
            sendControl(FrameType.CREDIT);
        }
    }

    private void sendData(ChannelOutboundBuffer from) throws Exception {
        if (from == null || from.isEmpty()) {
            return;
        }
        skip = outbound.unremoved();
        from.forEachFlushedMessage(this);
    }

    private void post(Throwable earlier) throws VerbsException {
        try {
            path.post();
        } catch (Throwable e) {
            if (e instanceof PostException refused && refused.isNotConnected()) {
                state = State.REFUSED;
                outbound.refused();
            } else {
                breakOff();
            }
            if (earlier != null) {
                e.addSuppressed(earlier);
            }
            throw e;
        }
    }

    private static void rethrow(Throwable failure) throws IOException {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure != null) {
            throw failure instanceof IOException exception ? exception : new IOException(failure);
        }
    }

    private boolean sendControl(FrameType type) {
        if (!begin(type)) {
            return false;
        }
        control.write(type, frame);
        control.sent(type, path.end(type));
        return true;
    }

    private boolean sendBuffer(ByteBuf message) {
        int sent = (int) outbound.sentOf();
        if (sent == 0) {
            bufferIndex = message.readerIndex();
            bufferLength = message.readableBytes();
        } else if (bufferLength > message.capacity() - bufferIndex) {
            throw new IndexOutOfBoundsException(message + " was cut after " + sent + " of its " + bufferLength
                    + " bytes were sent");
        }
        int index = bufferIndex + sent;
        int length = bufferLength - sent;
        if (length < zeroCopyThreshold) {
            return copy(message, index, length);
        }
        return message instanceof CompositeByteBuf composite
                ? sendComponents(composite, index, length) : sendPart(message, index, length);
    }

    private boolean sendComponents(CompositeByteBuf message, int index, int length) {
        int left = length;
        int from = index;
        for (int i = message.toComponentIndex(index); left > 0; i++) {
            ByteBuf part = message.internalComponent(i);
            int offset = from - message.toByteIndex(i);
            int count = Math.min(left, part.capacity() - offset);
            if (count > 0 && !sendPart(part, offset, count)) {
                return false;
            }
            from += count;
            left -= count;
        }
        return true;
    }

    private boolean sendPart(ByteBuf part, int index, int length) {
        RegisteredByteBuf owner = length < zeroCopyThreshold ? null : RegisteredByteBuf.owner(part, index, length);
        if (owner != null) {
            long address = part.memoryAddress() + index;
            long key = registered.localKey(address, length);
            if (key != RegisteredMemory.NOT_REGISTERED) {
                return gather(owner, part, address, length, (int) key);
            }
        }
        return copy(part, index, length);
    }

    private boolean gather(RegisteredByteBuf owner, ByteBuf part, long address, int length, int key) {
        int sent = 0;
        while (sent < length) {
            if (!beginDataFrame()) {
                return false;
            }
            if (!frame.canGather()) {
                endFrame();
                continue;
            }
            // First, because a wrapper may throw: a frame must not refer to memory that it does not hold.
            if (heldByFrame != part) {
                path.hold(owner, part);
                heldByFrame = part;
            }
            int count = frame.gather(address + sent, length - sent, key);
            outbound.gathered(outbound.sentOf() + count);
            sent += count;
        }
        return true;
    }

    private boolean copy(ByteBuf from, int index, int length) {
        int sent = 0;
        while (sent < length) {
            if (!beginDataFrame()) {
                return false;
            }
            int count = frame.copy(from, index + sent, length - sent);
            if (count == 0) {
                endFrame();
            }
            outbound.copied(outbound.sentOf() + count);
            sent += count;
        }
        return true;
    }

    /** The bytes that were written before it go first. */
    private boolean sendOperation(RemoteOperation operation) {
        endFrame();
        boolean sent = note(operations.send(operation));
        if (operations.last() - lastData > 0) {
            lastData = operations.last();
        }
        return sent;
    }

    /** A region is complete when it says so, as over TCP, unless it has bytes that did not fit into the last frame. */
    private boolean sendRegion(FileRegion region) throws IOException {
        while (regionIsCut || region.transferred() < region.count()) {
            if (!beginDataFrame()) {
                return false;
            }
            if (frame.roomInSlot() == 0) {
                endFrame();
                continue;
            }
            long before = region.transferred();
            int bytes = frame.copy(region);
            regionIsCut = frame.isCut();
            if (bytes == 0 && region.transferred() == before && before < region.count()) {
                throw new IOException(region + " gave no bytes at " + before + " of " + region.count()
                        + ": is the file shorter?");
            }
            outbound.copied(region.transferred());
        }
        return true;
    }

    /** Begins a DATA frame unless one is begun. Returns false if there is no room, and notes the reason. */
    private boolean beginDataFrame() {
        return frame.isBegun() || begin(FrameType.DATA);
    }

    private boolean begin(FrameType type) {
        return note(path.begin(type));
    }

    /** Notes what kept something from being sent. */
    private boolean note(FramePath.Room found) {
        if (found == FramePath.Room.BATCH_FULL) {
            again = true;
        } else if (found != FramePath.Room.READY) {
            room = found;
        }
        return found == FramePath.Room.READY;
    }

    /** Puts the DATA frame that is begun into the batch, or drops it if it has no payload. */
    private void endFrame() {
        if (!frame.isBegun()) {
            return;
        }
        int bytes = frame.payload();
        heldByFrame = null;
        if (bytes == 0) {
            path.drop();
            return;
        }
        counters.add(RdmaCounter.BYTES_COPIED_OUT, frame.copied());
        counters.add(RdmaCounter.BYTES_GATHERED, bytes - frame.copied());
        lastData = path.end(FrameType.DATA);
    }
}
