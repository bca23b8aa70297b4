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
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;

/**
 * A way to send frames to the peer. The sender decides what is sent next. The path decides whether there is room for
 * it, sends it, and keeps the memory of each frame referenced until the device, or the peer, is done with it.
 *
 * <pre>
 *   open(), connected(peer), then for each frame:
 *
 *   begin(type, n) --READY--&gt; frame() is filled --&gt; end(type) --&gt; post() --&gt; completed(number)
 *       |                      |
 *       | no room              +--&gt; drop()
 *       v
 *   another try after post(), a completion, or a frame of the peer
 * </pre>
 *
 * {@link SendPath} sends frames to receives that the peer has posted. Decision 22 says how other paths fit.
 *
 * <p>Belongs to the event loop.
 */
interface FramePath {

    /** Whether a frame can be begun, and if not, what makes room. */
    enum Room {

        READY,

        /** The peer has no room: one of its frames advertises some. */
        NEEDS_PEER,

        /** A completion makes room. */
        NEEDS_COMPLETION,

        /** {@link #post} makes room. */
        NEEDS_POST
    }

    /**
     * Takes the memory without which no frame can be sent.
     *
     * @throws IOException if there is none, or it could not be registered; then call {@link #release}.
     */
    void open() throws IOException;

    /** The peer's connection data has arrived: it has the first room for frames, and says how long they may be. */
    void connected(ConnectData peer);

    /** Whether the device takes frames. The peer's frames may arrive before it does. */
    boolean isReady();

    /** A frame of the peer has arrived: its header advertises room, in receives of so many bytes; 0: as before. */
    void advertised(int granted, int receive) throws ProtocolException;

    /** Whether the peer waits for what the next frame's header advertises: then a frame without data is due. */
    boolean isAdvertisementDue();

    /** Frames of any type that the peer has room for. */
    int credits();

    /** Frames and remote operations that have not completed. */
    int inFlight();

    /** Whether a frame can consist of several ranges of memory, and so gather from the application's. */
    boolean canGather();

    /**
     * Begins a frame of this type, if there is room for it. No other frame may be begun.
     *
     * @param copies bytes of payload that are going to be copied, as far as they fit; a frame may have room for fewer.
     */
    Room begin(FrameType type, int copies);

    /** The frame that is begun. The same object each time. */
    OutgoingFrame frame();

    /** Whether the frame that is begun would go inline if it ended now. */
    boolean isInline();

    /**
     * The frame that is begun gathers from memory of {@code owner}, which {@code buffer} is, wraps, or is a part of.
     * The path references all of them as long as it needs the memory: see {@link RegisteredByteBuf#hold}.
     */
    void hold(RegisteredByteBuf owner, ByteBuf buffer);

    /**
     * Ends the frame that is begun, and records the progress of the messages with it.
     *
     * @return the frame's number, for {@link #isCompleted}.
     */
    int end(FrameType type);

    /** Drops the frame that is begun. It must hold no message. */
    void drop();

    /**
     * Sends the frames that were ended.
     *
     * @throws VerbsException if some or all were not sent. Frames that were sent complete as usual; the others hold
     *         nothing any more. Nothing can be sent after that.
     */
    void post() throws VerbsException;

    /** Whether the frame was posted and has not completed. */
    boolean isInFlight(int number);

    /** A work request of the frame has completed. Retires the messages that are done with it. */
    void completed(int number);

    /** Whether the frame, which was ended, and all before it have completed. */
    boolean isCompleted(int number);

    /** Whether completions are still to come. */
    boolean awaitsCompletions();

    /** Whether a message is still held. */
    boolean holdsMessages();

    /** Nothing accesses any memory any more: gives all of it back. */
    void release();
}
