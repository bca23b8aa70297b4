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

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.cm.CmErrors;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.io.UnclosedObjects;
import io.nettyrdma.jni.Errno;
import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ProtocolException;
import io.nettyrdma.protocol.RejectData;
import io.nettyrdma.verbs.AsyncEvent;
import io.nettyrdma.verbs.AsyncEventType;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.EnumSet;
import java.util.Set;

/** What the connection manager and the device report, as the exceptions that users of sockets know. */
public final class LinkErrors {

    static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Link.class);

    private static final Set<AsyncEventType> FATAL = EnumSet.of(AsyncEventType.COMPLETION_QUEUE_ERROR,
            AsyncEventType.QUEUE_PAIR_FATAL, AsyncEventType.QUEUE_PAIR_REQUEST_ERROR,
            AsyncEventType.QUEUE_PAIR_ACCESS_ERROR, AsyncEventType.DEVICE_FATAL);

    private LinkErrors() {
    }

    /** Whether a queue pair is unusable after such an event. */
    static boolean isFatal(AsyncEventType type) {
        return FATAL.contains(type);
    }

    /** Closes an object that is no longer needed. A failure is only logged. */
    static void closeQuietly(VerbsObject object) {
        try {
            object.close();
        } catch (IOException | IllegalStateException e) {
            UnclosedObjects.log(object, e);
        }
    }

    /** Has the reason of the peer's reject data, if there is any, otherwise the status of the event. */
    static IOException connectFailure(CmEvent event) {
        RejectData words = event.type() == CmEventType.REJECTED ? RejectData.decodeOrNull(event.privateData()) : null;
        if (words == null) {
            return CmErrors.failure(event);
        }
        return new ConnectException("Connection refused: " + event.id().peerAddress() + ": " + words.reason() + ", "
                + words.text());
    }

    /** For a peer that has left. The kernel does not report that before we accept. */
    static ConnectException abandoned(SocketAddress peer) {
        return new ConnectException("Connection failed: " + peer + " has left before it was accepted");
    }

    /** Why an address, or on iWARP the connect call, was refused, as an exception of sockets. */
    static IOException addressFailure(VerbsException failure) {
        IOException translated;
        switch (failure.errno()) {
        case Errno.ECONNREFUSED, Errno.ECONNRESET ->
            translated = new ConnectException("Connection refused: " + failure.getMessage());
        case Errno.ETIMEDOUT -> translated = new ConnectException("Connection timed out: " + failure.getMessage());
        case Errno.EADDRINUSE, Errno.EADDRNOTAVAIL -> translated = new BindException(failure.getMessage());
        // EACCES is of a broadcast address.
        case Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ENODEV, Errno.EACCES ->
            translated = new NoRouteToHostException(failure.getMessage());
        default -> {
            if (!leadsNowhere(failure)) {
                return failure;
            }
            translated = new NoRouteToHostException(failure.getMessage());
        }
        }
        translated.initCause(failure);
        return translated;
    }

    /** The arguments were checked before, so EINVAL is the kernel's error for an address without an iWARP device. */
    private static boolean leadsNowhere(VerbsException failure) {
        return failure.errno() == Errno.EINVAL && failure.call().equals("rdma_resolve_addr");
    }

    /** The peer has accepted, but its connection data is not valid in our protocol. */
    static IOException badAnswer(SocketAddress peer, ProtocolException what) {
        IOException failure = new ConnectException("Connection failed: " + peer + " accepted it, but "
                + what.getMessage() + "; check that the program there is one of this transport, of the same version");
        failure.initCause(what);
        return failure;
    }

    /** Has the message that programs look for, whatever the cause. */
    static IOException reset(SocketAddress peer, AbortReason reason, String text) {
        return new SocketException("Connection reset by peer: " + peer + " ended it, reason " + reason
                + (text.isEmpty() ? "" : ": " + text));
    }

    static IOException deviceRemoved(SocketAddress peer) {
        return new IOException("the RDMA device of the connection to " + peer + " was removed");
    }

    static IOException reported(AsyncEvent event) {
        return new IOException("the device reports " + event.type() + " of " + event.source());
    }

    static IOException closeTimedOut(SocketAddress peer) {
        return new IOException("Connection timed out: " + peer + " did not take what was sent before the close");
    }

    static IOException peerIsDead(SocketAddress peer) {
        return new IOException("Connection timed out: " + peer + " did not answer a PING; its machine or the network "
                + "is down, or its event loop stood still for longer than KEEPALIVE_MILLIS allows");
    }

    /** The peer has left without FIN. */
    public static IOException disconnected(SocketAddress peer) {
        return new SocketException("Connection reset by peer: " + peer
                + " disconnected without an end of its stream, or its process died");
    }
}
