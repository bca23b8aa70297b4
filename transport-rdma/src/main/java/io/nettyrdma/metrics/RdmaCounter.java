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

/**
 * The counters, each with the question that it answers.
 *
 * @since 0.1.0
 */
public enum RdmaCounter {

    /**
     * Is the peer too slow, or its window too small? Flushes that left bytes behind because the peer had not advertised
     * credits for them.
     */
    FLUSHES_WITHOUT_CREDIT,

    /**
     * Is the send queue too short, or does a peer not read? Flushes that left bytes or datagrams behind because the
     * send queue was full or no staging memory was left.
     */
    FLUSHES_WITH_FULL_QUEUE,

    /**
     * How many bytes are copied when sending? Bytes outside memory that the device can read, or too few to gather: the
     * sum of {@link #BYTES_STAGED} and {@link #BYTES_INLINE}.
     */
    BYTES_COPIED_OUT,

    /** How many bytes are sent without a copy? Bytes that the device read from the application's buffers. */
    BYTES_GATHERED,

    /**
     * Does the application hold more received buffers than the window has? Buffers that were copied when read, so that
     * the peer does not stall.
     */
    READS_COPIED,

    /**
     * Do small messages follow large ones? Buffers that were copied when read, because their receives were 8 times as
     * long or longer, and the application may keep what it reads.
     */
    SMALL_READS_COPIED,

    /**
     * Does the application read too slowly? Unread bytes that were copied out of receives, because the peer needed the
     * receives.
     */
    BYTES_COPIED_UNREAD,

    /**
     * Does a peer wait for the application? Times that a peer had to stop sending, because more than {@code SO_RCVBUF}
     * bytes were unread, or there was no memory to copy them to.
     */
    PEERS_STOPPED,

    /**
     * Is there memory for larger windows? Attempts to let a connection's window grow for which there was none: the
     * transport has three eighths of {@code maxRegisteredBytes}, the allocator has no more, or the device does not
     * register it. An application that keeps what it reads makes a growth need more. Each is repeated.
     */
    WINDOWS_HELD_BACK,

    /**
     * Does a connection stall for no reason? Times that a peer had no credits for data for a second, although all that
     * it had sent was read: either it sends nothing but control frames, or this transport has a defect. Connections
     * that have grown are checked, before they return their memory, which ends the stall. The metric
     * {@code rdma.stalls} is another: it has {@link #CREDIT_STALLS} and {@link #QUEUE_STALLS}.
     */
    STALLS,

    /**
     * Do clients connect that do not speak the protocol, or speak another version of it? Requests that were refused.
     */
    REQUESTS_REFUSED,

    /**
     * Is the server channel read too seldom? Requests that were refused because {@code SO_BACKLOG} requests were
     * already waiting.
     */
    REQUESTS_BEYOND_BACKLOG,

    /** Do clients give up before they get a response? Requests that were dropped because the client had left. */
    REQUESTS_ABANDONED,

    /**
     * Do more peers connect at once than a server accepts? Times that a request had to wait because
     * {@code MAX_ACCEPTING} children were being accepted.
     */
    REQUESTS_HELD_BACK,

    /**
     * Does a driver block threads, as it does on iWARP for hosts that do not answer? Blocking calls that had to wait
     * because no thread was free.
     */
    BLOCKING_CALLS_HELD_BACK,

    /** Do peers request connections that they never confirm? Children that were closed before they became active. */
    CHILDREN_UNCONFIRMED,

    /**
     * Is there memory for another connection, and does the device have another queue pair? Requests that were refused
     * because there is none; the log says what is missing.
     */
    CHILDREN_REFUSED,

    /** Does a peer violate the protocol? Connections that were closed because of a protocol violation. */
    PROTOCOL_VIOLATIONS,

    /**
     * Are there peers that do not receive what is sent to them? Connections of closed channels that still had something
     * to send after {@code CLOSE_TIMEOUT_MILLIS}, and were aborted.
     */
    CLOSES_TIMED_OUT,

    /**
     * Are there peers that do not answer a disconnect? Connections that waited a second for their last acknowledgements
     * and for the answer, or that were still waiting when their event loop ended; and datagram channels that waited a
     * second for what was flushed before their close.
     */
    DEPARTURES_TIMED_OUT,

    /**
     * Does the loop miss events of its connections? Failed attempts to read events of the connection manager or of a
     * device; each is retried.
     */
    UNREADABLE_EVENTS,

    /**
     * Do datagrams come from elsewhere? Received datagrams that were not handed out: of another peer than the one that
     * the channel is connected to, or without room for a header.
     */
    DATAGRAMS_DROPPED,

    /**
     * Do peers send without being prepared for? Received datagrams whose sender the device does not name. They are
     * delivered nevertheless, with an unknown sender.
     */
    SENDERS_UNKNOWN,

    /**
     * Do peers write with unwanted immediates? Immediates that were refused, because the channel has not asked
     * for any, or because the write had no bytes.
     */
    IMMEDIATES_REFUSED,

    /**
     * Does the application read datagrams too slowly? Times that the last posted receive was taken. Until the next is
     * posted, the device drops datagrams or has their senders wait, or fail.
     */
    RECEIVES_EXHAUSTED,

    /**
     * Is there memory to receive datagrams? Attempts to post receives that ended early, because the transport had its
     * share of {@code maxRegisteredBytes}, the allocator had no more memory or the device did not register it. Each is
     * repeated.
     */
    RECEIVES_HELD_BACK,

    /**
     * Does a peer not read its datagrams? Datagrams, writes and reads that failed because their recipient had no
     * receive posted, and those that were not sent because of that.
     */
    RECIPIENTS_NOT_READY,

    /** Completions for handles that are gone. They can arrive after a queue pair was closed and are harmless. */
    UNKNOWN_COMPLETIONS,

    /** How many bytes of {@link #BYTES_COPIED_OUT} were copied to registered memory, which the device then reads? */
    BYTES_STAGED,

    /** How many bytes of {@link #BYTES_COPIED_OUT} were copied into work requests? They save the device a read. */
    BYTES_INLINE,

    /** How many messages of {@link #BYTES_STAGED}? A message is a frame with data, which may hold many writes. */
    MESSAGES_STAGED,

    /** How many messages of {@link #BYTES_GATHERED}? Small bytes before or behind may have been copied. */
    MESSAGES_GATHERED,

    /** How many messages of {@link #BYTES_INLINE}? */
    MESSAGES_INLINE,

    /** How many bytes arrive? The bytes that applications get, without headers. */
    BYTES_RECEIVED,

    /** How many messages arrive? Frames with data, datagrams, and writes with an immediate. */
    MESSAGES_RECEIVED,

    /** How many writes of remote memory were posted? Their bytes are none of those that are sent, by any path. */
    REMOTE_WRITES,

    /** How many bytes of {@link #REMOTE_WRITES}? */
    REMOTE_BYTES_WRITTEN,

    /** How many reads of remote memory were posted? */
    REMOTE_READS,

    /** How many bytes of {@link #REMOTE_READS}? */
    REMOTE_BYTES_READ,

    /** How many atomic operations on remote memory were posted? Each is one of 8 bytes. */
    REMOTE_ATOMICS,

    /** How often does a connection wait for its peer? Times that one began to wait for credits with data to send. */
    CREDIT_STALLS,

    /** For how long? Nanoseconds of {@link #CREDIT_STALLS} that are over. */
    CREDIT_STALL_NANOS,

    /**
     * How often does a connection wait for the device? Times that one began to wait for room in its send queue, or for
     * staging memory, with data to send.
     */
    QUEUE_STALLS,

    /** For how long? Nanoseconds of {@link #QUEUE_STALLS} that are over. */
    QUEUE_STALL_NANOS,

    /** How many connections were opened from this side? */
    CONNECTIONS_MADE,

    /** How many connections of peers were opened? */
    CONNECTIONS_ACCEPTED,

    /** How many attempts to connect, or to accept, have failed? A channel that is closed meanwhile is no failure. */
    HANDSHAKES_FAILED,

    /** How many open connections ended by a failure? A reset, a dead peer, a violation, or a failed device. */
    CONNECTIONS_FAILED,

    /** Has a device failed? Its failures, by an asynchronous event or a call, and events of an unknown type. */
    DEVICE_EVENTS,

    /** Has a port changed? Asynchronous events of ports: up, down, other addresses. */
    PORT_EVENTS,

    /** Has a completion queue failed? Asynchronous events: each ends the connections of one queue. */
    COMPLETION_QUEUE_EVENTS,

    /** Has a queue pair failed? Asynchronous events of queue pairs, and of what belongs to them. */
    QUEUE_PAIR_EVENTS,

    /** How often does the loop poll? One poll asks every completion queue once. */
    POLLS,

    /** How many of {@link #POLLS} found nothing? */
    EMPTY_POLLS,

    /** How long does the loop work? Nanoseconds in handlers, tasks and the transport itself. */
    NANOS_WORKING,

    /**
     * How long does the loop spin? Nanoseconds of polls that found nothing, by clock readings that each cover some
     * polls: single values are estimates, the sum with {@link #NANOS_WORKING} and {@link #NANOS_ASLEEP} is the time.
     */
    NANOS_SPINNING,

    /**
     * How long does the loop sleep? Nanoseconds, of the present sleep too. With Netty before 4.2.5 the handling of the
     * events that end a sleep counts as part of it.
     */
    NANOS_ASLEEP
}
