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

import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.CreditDebt;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.Immediate;
import io.nettyrdma.protocol.PeerText;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.remote.RdmaImmediate;
import io.nettyrdma.verbs.WorkCompletion;

import java.nio.ByteBuffer;

/**
 * Handles what has arrived in receives: checks each frame, counts credits in both directions, and passes the frame on
 * to the one that it is for.
 */
final class IncomingFrames {

    /** The stream that the frames belong to. */
    interface Owner {

        StreamState state();

        /** FIN has arrived. */
        void finished();

        /** ABORT has arrived. */
        void aborted(AbortReason reason, String text);
    }

    private final ReceiveSource receives;
    private final StreamReceiver receiver;
    private final CreditDebt debt;
    private final StreamInput input;
    private final Pings pings;
    private final boolean takesImmediates;
    private final Owner owner;
    private final StreamMetrics metrics;
    private final FramePath path;
    private final ControlFrames control;
    private boolean frameArrived;

    /**
     * @param control gets the answers.
     * @param takesImmediates whether the peer may write with immediates.
     */
    IncomingFrames(StreamParts parts, StreamReceiver receiver, ControlFrames control, StreamInput input, Pings pings,
                   boolean takesImmediates, Owner owner) {
        receives = parts.receives();
        debt = parts.debt();
        path = parts.path();
        this.receiver = receiver;
        this.control = control;
        this.input = input;
        this.pings = pings;
        this.takesImmediates = takesImmediates;
        this.owner = owner;
        metrics = parts.metrics();
    }

    /** Whether a frame has arrived since the last call. */
    boolean takeHeard() {
        boolean taken = frameArrived;
        frameArrived = false;
        return taken;
    }

    /**
     * A receive has completed successfully.
     *
     * @return whether it now belongs to the input.
     */
    boolean received(int receive, WorkCompletion completion) throws ProtocolException {
        return completion.hasImmediate() ? immediate(receive, completion) : frame(receive, completion.byteLength());
    }

    private boolean frame(int receive, int received) throws ProtocolException {
        ByteBuffer bytes = receives.memory(receive).clear();
        int at = receives.offset(receive);
        FrameHeader.check(bytes, at, received);
        if (!owner.state().isConnected()) {
            throw new ProtocolException("early data", bytes, at, received);
        }
        FrameType type = FrameType.of(FrameHeader.type(bytes, at));
        debt.received(type);
        path.advertised(FrameHeader.granted(bytes, at), FrameHeader.receive(bytes, at));
        frameArrived = true;
        int length = FrameHeader.length(bytes, at);
        if (type == FrameType.DATA) {
            checkInput(bytes, at, received);
            metrics.received(length);
            input.add(receiver.toBuffer(receive, length));
            return true;
        }
        control(type, bytes, at, length);
        return false;
    }

    /** A write of the peer has used a receive. It is posted again when the application has read the immediate. */
    private boolean immediate(int receive, WorkCompletion completion) throws ProtocolException {
        int value = Immediate.value(completion.immediate());
        if (!takesImmediates || !owner.state().mayReceive()) {
            throw new ProtocolException("immediate data " + value + " where none is taken");
        }
        debt.received(FrameType.DATA);
        frameArrived = true;
        metrics.received(completion.byteLength());
        input.add(receiver.toBuffer(receive, 0), new RdmaImmediate(value, completion.byteLength()));
        return true;
    }

    private void control(FrameType type, ByteBuffer bytes, int at, int length) throws ProtocolException {
        int payload = at + FrameHeader.SIZE;
        switch (type) {
        case FIN -> {
            checkInput(bytes, at, FrameHeader.SIZE);
            owner.finished();
            input.end();
        }
        case ABORT -> {
            AbortReason reason = AbortReason.of(bytes.getInt(payload));
            // The text is copied before the receive may be posted again.
            owner.aborted(reason, PeerText.of(bytes, payload + FrameType.REASON_BYTES,
                    length - FrameType.REASON_BYTES));
        }
        case PING -> control.pong(bytes.getLong(payload));
        case PONG -> pings.answered(bytes.getLong(payload));
        default -> { }
        }
    }

    private void checkInput(ByteBuffer bytes, int at, int received) throws ProtocolException {
        if (!owner.state().mayReceive()) {
            throw new ProtocolException("data after fin", bytes, at, received);
        }
    }
}
