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
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.memory.ReceivedByteBuf;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Where the frames of a stream are received: memory that is posted to the device and comes back with a frame in it.
 * {@link StreamReceiver} decides how many frames the peer may send at a time. The source decides to which queue memory
 * is posted and of which size it is.
 *
 * <pre>
 *   add(n) ---&gt; waiting --- post() ---&gt; posted --- completed(receive) ---&gt; the receiver's
 *                 |  ^                                                         |
 *     remove(n) --+  +------------------- giveBack(receive) -------------------+
 * </pre>
 *
 * A receive is a number, the one of its work request id. {@link QueuePairReceives} posts to the stream's own queue
 * pair. Decision 22 says how other sources fit.
 *
 * <p>Belongs to the event loop.
 */
interface ReceiveSource {

    /** The most receives that one stream can have at a time. */
    int maximum();

    /**
     * Adds receives for {@code count} more frames. They wait.
     *
     * @throws IOException if there is no memory, or it could not be registered. Some may have been added.
     */
    void add(int count) throws IOException;

    /** Adds up to {@code count} receives, as far as there is room, and plenty of memory. Returns how many. */
    int addIfPlenty(int count);

    /**
     * Replaces the waiting receives by {@code count} of another size, as have those that are added later. Receives that
     * were posted, or completed, keep their size, and are gone when they are given back.
     *
     * @param size an index of {@link StreamConfig#receiveSizes}.
     * @return whether there was memory, for larger ones plenty of it; otherwise nothing changes.
     */
    boolean resize(int size, int count);

    /** Removes {@code count} waiting receives. */
    void remove(int count);

    /** Receives that wait for {@link #post}. */
    int waiting();

    /**
     * Posts all receives that wait, as far as the queue has room.
     *
     * @return for how many more frames of this stream there is memory now.
     * @throws VerbsException if some could not be posted. The stream cannot continue.
     */
    int post() throws VerbsException;

    /** A receive has completed. It belongs to the caller until {@link #giveBack}. */
    void completed(int receive);

    /** The memory that contains the frame, from {@link #offset} on. Its position and limit have no meaning. */
    ByteBuffer memory(int receive);

    /** Where the frame begins in its {@link #memory}. */
    int offset(int receive);

    /** The buffer over the payload, the same one each time. */
    ReceivedByteBuf payload(int receive);

    /**
     * Copies a payload that a smaller size would have had room for.
     *
     * @param from what {@link ByteBuf#alloc} of the copy returns.
     * @return {@code null} if it is too long, or there is no smaller size, or no memory.
     */
    ByteBuf copyIfSmall(ReceivedByteBuf payload, ByteBufAllocator from);

    /** Takes a receive back, which waits then. Those of another size go to the pool, and after {@link #close} all. */
    void giveBack(int receive);

    /** Nothing is posted any more. Posted receives come back by their completions, or by {@link #release}. */
    void close();

    /** The device writes to no receive of this stream any more. Those that are given back later go to the pool. */
    void release();
}
