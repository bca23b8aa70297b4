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
package io.nettyrdma.link;

import io.netty.channel.EventLoop;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * Listens at an address for one server channel, and keeps the requests of peers until they are taken. Rejects those
 * beyond the backlog. Belongs to the event loop, except the methods that say otherwise.
 */
public interface LinkListener {

    /** What a listener reports, on the loop's thread. */
    interface Events {

        /** A request waits. */
        void requested();

        /** @param why was sent to the peer as well. */
        void refused(InetSocketAddress peer, String why);

        /** The device is gone: nothing listens any more. */
        void deviceRemoved();

        /** The loop ends. */
        void loopEnds();
    }

    // ---- the loop ----

    /**
     * Registers the listener with a loop. Requests that came since it was deregistered are handled first.
     *
     * @param then gets the failure, or {@code null}. On the loop.
     */
    void register(EventLoop on, Consumer<Throwable> then);

    /**
     * Cancels the registration.
     *
     * @param isOpen whether the channel is to be registered again. A listener that is bound holds what peers ask
     *        meanwhile.
     */
    void deregister(boolean isOpen) throws IOException;

    /** The loop's counters. After {@link #register}, any thread. */
    RdmaCounters counters();

    /** Runs a step between two polls of the loop. */
    void enqueueStep(Runnable step);

    // ---- the address ----

    /**
     * Begins to listen.
     *
     * @throws IOException a {@link java.net.BindException} if the address is in use or not of this machine.
     */
    void bind(InetSocketAddress address, boolean reusesAddress, int backlog) throws IOException;

    /** Any thread. */
    boolean isBound();

    /** {@code null} before {@link #bind}. Any thread. */
    InetSocketAddress localAddress();

    /** The device of the local address; {@code null} before bind, and for a wildcard address. Any thread. */
    RdmaDeviceInfo device();

    // ---- requests ----

    /** The number of requests that wait to be taken. Any thread. */
    int waiting();

    /** Drops the oldest requests whose peers have left. Returns whether a request waits. */
    boolean hasRequest();

    /** Takes the oldest request, which the caller then owns; {@code null} if there is none. */
    LinkRequest take();

    // ---- the end ----

    /** Listens no more, and refuses the requests that wait. */
    void stop();
}
