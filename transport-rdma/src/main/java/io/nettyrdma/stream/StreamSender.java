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
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.nettyrdma.buffer.RegisteredMemory;
import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/**
 * Sends the messages of Netty's outbound buffer, and the stream's control frames, in order. {@link DataFrames} turns
 * messages into frames, {@link RemoteOperations} remote operations into work requests.
 *
 * <p>Copied bytes leave the outbound buffer when they are posted. Gathered bytes, and all that follow them, leave it
 * when their frame has completed.
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

        /** Nothing more is sent. Frames posted before may have arrived: their completions still count. */
        REFUSED,

        /** Nothing leaves the outbound buffer any more. */
        BROKEN
    }

    private final FramePath path;
    private final RemoteOperations operations;
    private final OutgoingFrame frame;
    private final DataFrames data;
    private final OutboundMessages outbound;
    private final ControlFrames control;
    private final StreamMetrics metrics;
    private final StreamEvents events;
    private State state = State.SENDING;

    /** State of the present flush. */
    private boolean writing;
    private int skip;
    /** Why a frame could not be begun; READY if all could. */
    private FramePath.Room room;
    private boolean needsPost;

    /**
     * @param control the control frames; a flush sends those that are requested.
     * @param registered the memory that can be gathered.
     * @param zeroCopyThreshold bytes from which registered memory is gathered, if the path can.
     */
    StreamSender(StreamParts parts, ControlFrames control, RegisteredMemory registered, int zeroCopyThreshold,
                 StreamEvents events) {
        path = parts.path();
        operations = parts.operations();
        outbound = parts.outbound();
        this.control = control;
        metrics = parts.metrics();
        this.events = events;
        frame = path.frame();
        data = new DataFrames(path, outbound, registered, zeroCopyThreshold, metrics);
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
            needsPost = true;
            return;
        }
        check(from);
        FramePath.Room lastRoom;
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
            lastRoom = room;
            more = needsPost;
            // Frames written before a message failed are sent all the same.
            post(failure);
            metrics.sendsInFlight(path.inFlight());
            if (everything && !more) {
                metrics.waits(lastRoom);
            }
            // This comes last, because listeners of promises flush within it.
            outbound.remove(from);
            rethrow(failure);
        } while (more && !isBroken());
        count(lastRoom);
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

    private void count(FramePath.Room lastRoom) {
        if (lastRoom == FramePath.Room.NEEDS_PEER) {
            metrics.loop().increment(RdmaCounter.FLUSHES_WITHOUT_CREDIT);
        } else if (lastRoom == FramePath.Room.NEEDS_COMPLETION) {
            metrics.loop().increment(RdmaCounter.FLUSHES_WITH_FULL_QUEUE);
        }
        if (lastRoom == FramePath.Room.NEEDS_PEER || events.isStalled()) {
            events.flushed(data.last(), lastRoom == FramePath.Room.NEEDS_PEER);
        }
    }

    /**
     * Requests FIN behind the messages flushed so far, as many of them as have no more than {@code maxBytes} unsent
     * bytes together. A second call changes nothing.
     */
    void end(ChannelOutboundBuffer from, long maxBytes) {
        outbound.endAfter(LastMessages.of(from, outbound, maxBytes).unsent());
        control.fin();
    }

    /** See {@link RdmaStream#lastMessages}. */
    int lastMessages(ChannelOutboundBuffer from, long maxBytes) {
        return LastMessages.of(from, outbound, maxBytes).all();
    }

    /** Requests FIN directly behind what is already sent. */
    void endHere() {
        outbound.endHere();
        control.fin();
    }

    /** A frame failed, and nothing is sent any more. Gives back what it and the frames before it held. */
    void failed(int number) {
        // libsiw queues a request before the kernel refuses it, and the queued request is flushed.
        if (!isBroken() || path.isInFlight(number)) {
            path.completed(number);
            breakOff();
        }
    }

    /**
     * A frame completed. Gives back what it and the frames before it held.
     *
     * @param from the outbound buffer to remove messages from; {@code null} if it is gone.
     */
    void completed(int number, ChannelOutboundBuffer from) {
        path.completed(number);
        metrics.sendsInFlight(path.inFlight());
        if (state != State.BROKEN) {
            if (path.isCompleted(data.last())) {
                // Empty messages may follow it.
                outbound.allDone();
            }
            outbound.remove(from);
        }
    }

    /** Stops sending. Nothing leaves the outbound buffer any more; frames in flight keep the memory that they hold. */
    void breakOff() {
        state = State.BROKEN;
        metrics.endStalls();
        outbound.stopRemoving();
        events.stallEnds();
    }

    /** Whether nothing is sent any more. */
    boolean isBroken() {
        return state != State.SENDING;
    }

    /** Whether FIN or ABORT was sent and acknowledged, and so everything before it. */
    boolean isDrained() {
        return control.isFinalFrameSent() && path.isCompleted(control.finalFrame());
    }

    /** Whether completions are still to come. An unsignaled frame produces none. */
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
        FramePath.Room result;
        if (message instanceof ByteBuf buffer) {
            result = data.send(buffer);
        } else if (message instanceof RemoteOperation operation) {
            return sendOperation(operation);
        } else {
            result = data.send((FileRegion) message);
        }
        if (result != FramePath.Room.READY) {
            updateRoom(result);
            return false;
        }
        outbound.ended();
        return true;
    }

    /** Fills the batch. Control frames that a call waits for go first, FIN and CREDIT last. */
    private void write(ChannelOutboundBuffer from, boolean everything) throws Exception {
        room = FramePath.Room.READY;
        needsPost = false;
        for (FrameType type = control.first(); type != null && sendControl(type);) {
            type = control.first();
        }
        if (control.isAborted()) {
            return;
        }
        if (everything && !control.isFinalFrameSent()) {
            try {
                sendData(from);
            } finally {
                data.endFrame();
            }
            if (control.isFinWanted() && outbound.isAtEnd() && room == FramePath.Room.READY && !needsPost) {
                sendControl(FrameType.FIN);
            }
        }
        // A second one, if the first could advertise only the receives of one size.
        boolean sent = true;
        while (sent && path.isAdvertisementDue()) {
            sent = sendControl(FrameType.CREDIT);
        }
    }

    private void sendData(ChannelOutboundBuffer from) throws Exception {
        if (from == null || from.isEmpty()) {
            return;
        }
        skip = outbound.unremoved();
        data.begin(from.totalPendingWriteBytes());
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
        if (!updateRoom(path.begin(type, 0))) {
            return false;
        }
        control.write(type, frame);
        control.sent(type, path.end(type));
        return true;
    }

    /** The bytes that were written before it go first. */
    private boolean sendOperation(RemoteOperation operation) {
        data.endFrame();
        FramePath.Room result = operations.send(operation);
        data.followedBy(operations.last());
        return updateRoom(result);
    }

    /** Notes what kept something from being sent. */
    private boolean updateRoom(FramePath.Room result) {
        if (result == FramePath.Room.NEEDS_POST) {
            needsPost = true;
        } else if (result != FramePath.Room.READY) {
            room = result;
        }
        return result == FramePath.Room.READY;
    }
}
