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
import io.nettyrdma.io.RdmaIoOps;
import io.nettyrdma.io.RdmaIoRegistration;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.stream.StreamListener;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.WorkCompletion;

import java.io.IOException;

/**
 * The part of a channel that belongs to one loop, from the registration there until that has ended. That is some time
 * after the registration was cancelled, when the channel may already be registered with another loop. So its end
 * concerns only the connection that was begun here.
 *
 * <pre>
 *   events go to the channel ---it is closed---&gt; to its draining ---all has arrived---&gt; to its departure
 *                                 |                                                       ^
 *                                 +------------------nothing to send----------------------+
 * </pre>
 *
 * Belongs to the event loop.
 */
final class ChannelHandle implements RdmaIoHandle, StreamListener {

    /** What a loop dispatches to a channel, and what its stream reports. */
    interface Events extends StreamListener {

        /** A work request has succeeded. */
        void completed(WorkCompletion completion);

        /** A work request has failed, or was flushed. */
        void workFailed(WorkCompletion completion);

        void completionsDone();

        void cmEvent(CmEvent event);

        void asyncEvent(AsyncEvent event);

        /** The loop ends, and the channel closes itself. */
        void loopEnds();
    }

    private final Events channel;
    private IoRegistration registration;
    /** {@code null} before it begins, and after the connection is open. */
    private Handshake handshake;
    /** {@code null} before there is one. */
    private RdmaConnection connection;
    /** {@code null} before the channel is closed, and if it left nothing to send. */
    private Draining draining;
    /** {@code null} before all is sent, and if there was no connection. */
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

    Handshake handshake() {
        return handshake;
    }

    void made(RdmaConnection made) {
        connection = made;
    }

    RdmaConnection connection() {
        return connection;
    }

    void opened() {
        handshake = null;
    }

    /** The channel is closed, and its connection sends what was flushed before. */
    void drain(Draining begun, int millis) {
        draining = begun;
        begun.start(millis);
    }

    /** Runs a task when all is sent, perhaps at once. */
    void whenDrained(Runnable task) {
        draining.whenOver(task);
    }

    /** The channel is closed. Its connection continues without it until it has left in order. */
    void depart() {
        if (handshake != null) {
            handshake.cancel();
        }
        if (connection != null) {
            departure = new Departure(connection, registration());
        }
        if (draining != null) {
            // Outside of a completion the loop does not check by itself whether the handle may go.
            registration().submit(RdmaIoOps.REVISIT);
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
        } else if (draining != null) {
            draining.handle(rdma);
        } else {
            toChannel(rdma);
        }
    }

    private void toChannel(RdmaIoEvent event) {
        switch (event.kind()) {
        case COMPLETION -> {
            WorkCompletion completion = event.completion();
            if (completion.isSuccess()) {
                channel.completed(completion);
            } else {
                channel.workFailed(completion);
            }
        }
        case COMPLETIONS_DONE -> channel.completionsDone();
        case CM_EVENT -> channel.cmEvent(event.cmEvent());
        case ASYNC_EVENT -> channel.asyncEvent(event.asyncEvent());
        default -> { }
        }
    }

    // ---- of the stream; after the departure has begun it reports nothing that matters ----

    private StreamListener listener() {
        return draining == null ? channel : draining;
    }

    @Override
    public void aborted(AbortReason reason, String text) {
        listener().aborted(reason, text);
    }

    @Override
    public void left() {
        listener().left();
    }

    @Override
    public void failed(IOException cause) {
        listener().failed(cause);
    }

    // ---- the end ----

    /** What was flushed before the close, and the departure. Closing the queue pair ends all other work. */
    @Override
    public int outstandingWork() {
        boolean drains = draining != null && !draining.isOver();
        return drains || departure != null && !departure.isOver() ? 1 : 0;
    }

    @Override
    public void close() {
        if (!leaving) {
            channel.loopEnds();
        }
    }

    @Override
    public void checkTime() {
        if (departure != null) {
            departure.checkTime();
        } else if (draining != null) {
            draining.checkTime();
        }
        if (connection != null) {
            connection.checkTime();
        }
    }

    @Override
    public void giveUp() {
        if (draining != null) {
            draining.giveUp();
        }
    }

    @Override
    public void unregistered() {
        giveUp();
        if (handshake != null) {
            handshake.close();
        }
        if (connection != null) {
            connection.close();
        }
    }
}
