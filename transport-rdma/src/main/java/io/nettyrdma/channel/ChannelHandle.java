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
package io.nettyrdma.channel;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.io.RdmaIoEvent;
import io.nettyrdma.io.RdmaIoHandle;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.WorkCompletion;

/**
 * The part of a channel that belongs to one loop, from the registration there until that has ended. That is some time
 * after the registration was cancelled, when the channel may already be registered with another loop. So its end
 * concerns only the connection that was begun here. Belongs to the event loop.
 */
final class ChannelHandle implements RdmaIoHandle {

    /** What a loop dispatches to a channel. */
    interface Events {

        void completed(WorkCompletion completion);

        void completionsDone();

        void cmEvent(CmEvent event);

        void asyncEvent(AsyncEvent event);

        /** Whether the loop has to wait for a close to complete. */
        boolean isClosing();

        /** The loop ends, and the channel closes itself. The second call leaves no more time. */
        void loopEnds();
    }

    private final Events channel;
    private IoRegistration registration;
    /** {@code null} before it begins, and after the connection is open. */
    private Handshake handshake;
    /** {@code null} before there is one. */
    private RdmaConnection connection;
    /** {@code null} before the channel is closed, and if there was no connection. */
    private Departure departure;
    private boolean leaving;

    ChannelHandle(Events channel) {
        this.channel = channel;
    }

    void entered(IoRegistration given) {
        registration = given;
    }

    RdmaIoRegistration registration() {
        return registration.attachment();
    }

    /** The registration will be cancelled: nothing may be begun here any more. */
    void leave() {
        leaving = true;
    }

    boolean isLeaving() {
        return leaving;
    }

    void begins(Handshake begun) {
        handshake = begun;
    }

    void made(RdmaConnection made) {
        connection = made;
    }

    void opened() {
        handshake = null;
    }

    /** The channel is closed. Its connection continues without it until it has left in order. */
    void depart() {
        if (handshake != null) {
            handshake.cancel();
        }
        if (connection != null) {
            departure = new Departure(connection, registration());
        }
    }

    void cancel() {
        leaving = true;
        registration.cancel();
    }

    @Override
    public void handle(IoRegistration ignored, IoEvent event) {
        RdmaIoEvent rdma = (RdmaIoEvent) event;
        if (departure != null) {
            departure.handle(rdma);
            return;
        }
        switch (rdma.kind()) {
        case COMPLETION -> channel.completed(rdma.completion());
        case COMPLETIONS_DONE -> channel.completionsDone();
        case CM_EVENT -> channel.cmEvent(rdma.cmEvent());
        case ASYNC_EVENT -> channel.asyncEvent(rdma.asyncEvent());
        default -> { }
        }
    }

    /** A close that waits for its writes, and the departure. Closing the queue pair ends all other work. */
    @Override
    public int outstandingWork() {
        return channel.isClosing() || departure != null && !departure.isOver() ? 1 : 0;
    }

    @Override
    public void close() {
        if (!leaving) {
            channel.loopEnds();
        }
    }

    @Override
    public void unregistered() {
        if (handshake != null) {
            handshake.close();
        }
        if (connection != null) {
            connection.close();
        }
    }
}
