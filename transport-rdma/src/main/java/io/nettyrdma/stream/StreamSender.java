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
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/**
 * Makes frames of what is in Netty's outbound buffer, and of what the stream itself has to say.
 *
 * <p>Small and unregistered bytes are copied, those of many messages into one frame, and leave the outbound buffer when
 * they are posted. Large registered ones are sent from where they are: each frame holds a reference until its
 * completion, and the bytes, with all that come after them, leave the outbound buffer then.
 */
final class StreamSender implements ChannelOutboundBuffer.MessageProcessor {

    private final FramePath path;
    private final OutgoingFrame frame;
    private final OutboundMessages outbound;
    private final ControlFrames control;
    private final RegisteredMemory registered;
    private final CreditDebt debt;
    private final RdmaCounters counters;
    private final int zeroCopyThreshold;
    private boolean broken;

    /** Of the flush that is going on. */
    private boolean writing;
    private int skip;
    /** Why a frame could not be begun; READY if all could. */
    private FramePath.Room room;
    private boolean again;
    private ByteBuf heldByFrame;

    /** Of a buffer that was sent in part: what it had to be read when that began, wherever its indices are now. */
    private int bufferIndex;
    private int bufferLength;
    /** A region had bytes that no frame had room for. */
    private boolean regionIsCut;
    /** The last frame with data. */
    private int lastData = -1;

    /**
     * @param outbound the messages whose progress the path's frames take with them.
     * @param registered what can be gathered.
     * @param zeroCopyThreshold bytes from which registered memory is gathered, if the path can.
     */
    StreamSender(FramePath path, OutboundMessages outbound, ControlFrames control, RegisteredMemory registered,
                 int zeroCopyThreshold, CreditDebt debt, RdmaCounters counters) {
        this.path = path;
        this.outbound = outbound;
        this.control = control;
        this.registered = registered;
        this.debt = debt;
        this.counters = counters;
        this.zeroCopyThreshold = path.canGather() ? zeroCopyThreshold : Integer.MAX_VALUE;
        frame = path.frame();
    }

    /** What the stream itself wants to say; it is said by the next flush. */
    ControlFrames control() {
        return control;
    }

    /**
     * Sends as much as may be sent. A flush from within is fine: a listener's sends, a file region's that is asked for
     * its bytes is made up for.
     *
     * @param from {@code null} if the outbound buffer is gone, and what was in it has been dealt with.
     * @param everything whether DATA and FIN are sent too, else only other frames of control.
     */
    void flush(ChannelOutboundBuffer from, boolean everything) throws IOException {
        if (broken) {
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
            try {
                write(from, everything);
            } catch (Throwable e) {
                failure = e;
            }
            writing = false;
            left = room;
            more = again;
            // What was written before a message that failed is sent all the same.
            post(failure);
            // The last thing: listeners of promises flush within it.
            outbound.remove(from);
            rethrow(failure);
        } while (more && !broken);
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
     * FIN comes behind the messages that are flushed by now; but not behind one with which they would have more than so
     * many bytes that are not sent yet, nor behind those after it. Once is enough: a second time changes nothing.
     */
    void end(ChannelOutboundBuffer from, long most) {
        outbound.endAfter(LastMessages.count(from, outbound, most));
        control.fin();
    }

    /** FIN comes behind what is sent by now. */
    void endHere() {
        outbound.endHere();
        control.fin();
    }

    /**
     * A frame completed. Gives back what it and those before it held.
     *
     * @param from what to take the messages off; {@code null} if it is gone.
     */
    void completed(int number, boolean success, ChannelOutboundBuffer from) {
        if (!success && broken && !path.isInFlight(number)) {
            // libsiw puts a request into its queue before the kernel refuses it, and what lies there is flushed.
            return;
        }
        path.completed(number);
        if (!success) {
            breakOff();
        } else if (!broken) {
            if (path.isCompleted(lastData)) {
                // Messages without bytes may have come behind it.
                outbound.allDone();
            }
            outbound.remove(from);
        }
    }

    /** Nothing leaves the outbound buffer any more; what the device has it still holds. */
    void breakOff() {
        broken = true;
        outbound.giveUp();
    }

    /** Whether nothing is sent any more. */
    boolean isBroken() {
        return broken;
    }

    /** Whether the last word, FIN or ABORT, was sent and acknowledged, and so all that was before it. */
    boolean isDrained() {
        return control.isLastWordSent() && path.isCompleted(control.lastWord());
    }

    /** Whether completions of what was posted are still to come; what nobody waits for gives none. */
    boolean awaitsCompletions() {
        return path.awaitsCompletions();
    }

    /** Whether the device may still read what the application has written. */
    boolean holdsMessages() {
        return path.holdsMessages();
    }

    /** The device will not touch any memory any more: gives all of it back. */
    void release() {
        breakOff();
        path.release();
    }

    /** A message of the outbound buffer, for a flush. Returns false when no more can be sent. */
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
        if (!(message instanceof ByteBuf buffer ? sendBuffer(buffer) : sendRegion((FileRegion) message))) {
            return false;
        }
        regionIsCut = false;
        outbound.ended();
        return true;
    }

    /** Fills the batch. Control frames that others wait for go first, FIN and CREDIT last. */
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
            if (control.isFinWanted() && room == FramePath.Room.READY && !again) {
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
            breakOff();
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
        return message instanceof CompositeByteBuf composite && !message.hasMemoryAddress()
                ? sendComponents(composite, index, length) : sendPart(message, message, index, length);
    }

    private boolean sendComponents(CompositeByteBuf message, int index, int length) {
        int left = length;
        int from = index;
        for (int i = message.toComponentIndex(index); left > 0; i++) {
            ByteBuf part = message.internalComponent(i);
            int offset = from - message.toByteIndex(i);
            int count = Math.min(left, part.capacity() - offset);
            if (count > 0 && !sendPart(message, part, offset, count)) {
                return false;
            }
            from += count;
            left -= count;
        }
        return true;
    }

    /** @param message what keeps {@code part} alive. */
    private boolean sendPart(ByteBuf message, ByteBuf part, int index, int length) {
        if (length >= zeroCopyThreshold && part.hasMemoryAddress()) {
            long address = part.memoryAddress() + index;
            long key = registered.localKey(address, length);
            if (key != RegisteredMemory.NOT_REGISTERED) {
                return gather(message, address, length, (int) key);
            }
        }
        return copy(part, index, length);
    }

    private boolean gather(ByteBuf message, long address, int length, int key) {
        int sent = 0;
        while (sent < length) {
            if (!beginDataFrame()) {
                return false;
            }
            int count = frame.gather(address + sent, length - sent, key);
            if (count == 0) {
                endFrame();
            } else if (heldByFrame != message) {
                path.hold(message);
                heldByFrame = message;
            }
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

    /** Complete is what a region says it is, as over TCP; but not one that still has bytes in its hands. */
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

    /** There is a frame for data afterwards; or false, and the reason is noted. */
    private boolean beginDataFrame() {
        return frame.isBegun() || begin(FrameType.DATA);
    }

    private boolean begin(FrameType type) {
        FramePath.Room found = path.begin(type);
        if (found == FramePath.Room.BATCH_FULL) {
            again = true;
        } else if (found != FramePath.Room.READY) {
            room = found;
        }
        return found == FramePath.Room.READY;
    }

    /** The frame of data that was begun goes into the batch. */
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
