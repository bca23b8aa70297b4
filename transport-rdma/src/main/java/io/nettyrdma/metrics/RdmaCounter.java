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
package io.nettyrdma.metrics;

/** All that is counted, each with the question that it answers. */
public enum RdmaCounter {

    /**
     * Is the peer too slow, or its window too small? Flushes that left bytes behind because the peer had no receive
     * posted for them.
     */
    FLUSHES_WITHOUT_CREDIT,

    /**
     * Is the send queue too short? Flushes that left bytes behind because the send queue, or the memory for staging,
     * was used up.
     */
    FLUSHES_WITH_FULL_QUEUE,

    /** How much is copied on its way out? Bytes that were not where the device could read them, or too few for it. */
    BYTES_COPIED_OUT,

    /** How much is not? Bytes that the device has read from where the application had written them. */
    BYTES_GATHERED,

    /**
     * Does the application keep more buffers than the window has? Buffers that were copied when they were read, so that
     * the peer does not stand still.
     */
    READS_COPIED,

    /**
     * Does the application read too slowly? Bytes that nobody read, and that were copied out of the receives that the
     * peer waited for.
     */
    BYTES_COPIED_UNREAD,

    /**
     * Does a peer wait for our application? Times that it could send no more, because more than {@code SO_RCVBUF} bytes
     * were not read, or there was no memory to copy them to.
     */
    PEERS_STOPPED,

    /** Does somebody connect who does not speak the protocol, or another version of it? */
    REQUESTS_REFUSED,

    /**
     * Is the server channel read too seldom? Requests that were refused because {@code SO_BACKLOG} of them waited
     * already.
     */
    REQUESTS_BEYOND_BACKLOG,

    /** Do clients give up before they are answered? Requests that were dropped because who asked had left. */
    REQUESTS_ABANDONED,

    /**
     * Do more peers connect at a time than a server lets in? How often a request was left waiting because
     * {@code MAX_ACCEPTING} children were on their way in.
     */
    REQUESTS_HELD_BACK,

    /**
     * Does a driver keep threads busy, as for hosts that do not answer on iWARP? Times that a call that may block was
     * to be made while no thread was free for it, and waited.
     */
    BLOCKING_CALLS_HELD_BACK,

    /** Do peers ask for connections that they never confirm? Children that were closed before they were active. */
    CHILDREN_UNCONFIRMED,

    /** Does a peer break the protocol? Connections that were closed for what came. */
    PROTOCOL_VIOLATIONS,

    /**
     * Are there peers that do not even take what is sent to them? Closes that were cut short by
     * {@code CLOSE_TIMEOUT_MILLIS} or {@code SO_LINGER}, and aborted.
     */
    CLOSES_TIMED_OUT,

    /**
     * Does the loop not hear of what happens to its connections? Reads of what the connection manager or a device has
     * to tell that failed; each is tried again.
     */
    UNREADABLE_EVENTS,

    /** Completions of handles that are gone. They may come after a queue pair was closed, and do no harm. */
    UNKNOWN_COMPLETIONS
}
