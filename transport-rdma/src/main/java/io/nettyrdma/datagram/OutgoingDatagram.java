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
package io.nettyrdma.datagram;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.ReferenceCounted;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.annotation.UnstableApi;
import io.nettyrdma.buffer.RegisteredByteBuf;
import io.nettyrdma.remote.RdmaRead;
import io.nettyrdma.remote.RdmaWrite;
import io.nettyrdma.remote.RemoteOperation;

import java.nio.channels.ClosedChannelException;

/**
 * A datagram, write or read, from its write to its completion. It has the application's promise: those of datagrams
 * are completed in any order. Until it is flushed the channel's outbound buffer owns it, and afterwards the queue pair:
 *
 * <pre>
 *   WRITTEN --flush--&gt; TAKEN by the queue pair --completion--&gt; DONE
 *      |                                                         ^
 *      +--released by the buffer: the channel is closed----------+
 *      |                                                         |
 *      +--cancelled----------------------------------------------+
 *      |
 *      +--the application has released its content by mistake--&gt; LOST: there is no reference to give back
 * </pre>
 *
 * <p>Belongs to the event loop.
 *
 * @since 0.1.0
 */
@UnstableApi
public final class OutgoingDatagram extends DefaultByteBufHolder {

    private enum State { WRITTEN, TAKEN, DONE, LOST }

    private static final String RELEASED = "its content was released before it was sent, not by its owner";

    /** The object that is released at the end: the content, or the operation that owns it. */
    private final ReferenceCounted owner;
    /** {@code null} if the content is sent as a datagram. */
    private final RemoteOperation operation;
    private final DatagramAddress recipient;
    private final Promise<Void> promise;
    private final int index;
    private final int length;
    private State state = State.WRITTEN;
    /** {@code null} before it is taken. */
    private RemoteQueuePair to;
    /** The owner of the memory that the device accesses; {@code null} if a reference to the content is enough. */
    private ReferenceCounted memory;

    private OutgoingDatagram(ReferenceCounted owner, RemoteOperation operation, ByteBuf content, int index, int length,
                             DatagramAddress recipient, Promise<Void> promise) {
        super(content);
        this.owner = owner;
        this.operation = operation;
        this.index = index;
        this.length = length;
        this.recipient = recipient;
        this.promise = promise;
    }

    private static OutgoingDatagram of(ByteBuf content, DatagramAddress recipient, Promise<Void> promise) {
        return new OutgoingDatagram(content, null, content, content.readerIndex(), content.readableBytes(), recipient,
                promise);
    }

    private static OutgoingDatagram of(RdmaWrite write, DatagramAddress recipient, Promise<Void> promise) {
        return new OutgoingDatagram(write, write, write.content(), write.index(), write.length(), recipient, promise);
    }

    /** Its content is the part of the buffer that the device writes. */
    private static OutgoingDatagram of(RdmaRead read, DatagramAddress recipient, Promise<Void> promise) {
        return new OutgoingDatagram(read, read, read.into().slice(read.index(), read.length()), 0, read.length(),
                recipient, promise);
    }

    /**
     * {@return whether this kind of content can be sent}
     *
     * @param content of an envelope, or what a program writes without one.
     */
    public static boolean isContent(Object content) {
        return content instanceof ByteBuf || content instanceof RemoteOperation;
    }

    /** Takes over the reference to the content. */
    static OutgoingDatagram of(Object content, DatagramAddress recipient, Promise<Void> promise) {
        if (content instanceof RdmaWrite write) {
            return of(write, recipient, promise);
        }
        return content instanceof RdmaRead read ? of(read, recipient, promise)
                : of((ByteBuf) content, recipient, promise);
    }

    /** The write or read; {@code null} if the content is sent as a datagram. */
    RemoteOperation operation() {
        return operation;
    }

    DatagramAddress recipient() {
        return recipient;
    }

    /** Where its bytes begin in the content. Later changes of the content's indices have no effect. */
    int index() {
        return index;
    }

    /** Readable bytes when it was written. */
    int length() {
        return length;
    }

    /**
     * Takes a reference for the queue pair, and makes the promise uncancellable. The buffer's reference is still to be
     * released.
     *
     * @return false if the application has cancelled it, or has released the content, which was not its own any more.
     *         Then the promise has failed, and there is nothing to send.
     */
    public boolean take() {
        if (!promise.setUncancellable()) {
            state = State.DONE;
            return false;
        }
        try {
            owner.retain();
        } catch (IllegalReferenceCountException e) {
            state = State.LOST;
            promise.tryFailure(new DatagramException(this, DatagramFailure.NOT_POSTED, RELEASED, e));
            return false;
        }
        state = State.TAKEN;
        return true;
    }

    void to(RemoteQueuePair recipientsQueuePair) {
        to = recipientsQueuePair;
    }

    RemoteQueuePair to() {
        return to;
    }

    /** The device reads this in place of the content, which it cannot read. Takes over the reference. */
    void copied(ByteBuf readable) {
        memory = readable;
    }

    /** The device accesses the content's memory. A wrapper may ignore the reference that keeps the content. */
    void inPlace(RegisteredByteBuf contentsOwner) {
        if (!contentsOwner.isReferencedBy(content())) {
            memory = contentsOwner.hold(content());
        }
    }

    void succeeded() {
        if (operation != null) {
            operation.complete();
        }
        end();
        promise.trySuccess(null);
    }

    void failed(Throwable cause) {
        end();
        promise.tryFailure(cause);
    }

    /** As {@link #failed}, but the device may still access the content, which is never released. */
    void abandoned(Throwable cause) {
        state = State.DONE;
        promise.tryFailure(cause);
    }

    private void end() {
        state = State.DONE;
        if (memory != null) {
            memory.release();
        }
        owner.release();
    }

    /** By the outbound buffer: after {@link #take}, or because the channel is closed. */
    @Override
    public boolean release() {
        if (state == State.LOST) {
            return true;
        }
        try {
            return owner.release();
        } finally {
            if (state == State.WRITTEN) {
                state = State.DONE;
                promise.tryFailure(new ClosedChannelException());
            }
        }
    }

    @Override
    public String toString() {
        return (operation == null ? "a datagram of " + length + " bytes" : operation) + " to " + recipient;
    }
}
