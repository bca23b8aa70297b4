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
package io.nettyrdma.testsuite.differential;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.ReferenceCounted;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;

/** What one side did and saw. Written by its loop and other threads, read by the thread that awaits both sides. */
final class Journal {

    static final String SUCCESS = "success";
    /** The exception of {@link BufferKind#UNREADABLE}. */
    static final String UNREADABLE = "unreadable";
    static final String CANCELLED = "cancelled";

    /** The sizes of the peer's messages, which separate them in the stream. */
    private final Map<Integer, Integer> peersSizes = new TreeMap<>();
    private final Map<Integer, Message> messages = new TreeMap<>();
    private final Map<Object, Message> byObject = new IdentityHashMap<>();
    private final List<Message> passed = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> exceptions = new ArrayList<>();
    private final Map<String, String> outcomes = new LinkedHashMap<>();
    private final List<Integer> received = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private long receivedBytes;
    /** The message that is arriving, and how much of it has arrived. */
    private int coming = -1;
    private int come;
    private int pending;
    private int operations;
    private boolean ended;
    private boolean inputEnded;
    private boolean closeAsked;
    private boolean closed;
    private boolean outputEnded;
    /** Calls of close and shutdownOutput: first they may send what was flushed, whose listeners may flush more. */
    private int ending;
    private boolean aborted;
    private boolean writabilityChanged;
    private final boolean isBroken;
    private boolean autoRead;
    private int readsAsked;

    Journal(Side own, Side peer) {
        isBroken = own.isBroken();
        autoRead = own.autoRead();
        peer.writes().forEach(write -> peersSizes.put(write.id(), write.size()));
    }

    /** A message of this side and its progress. */
    static final class Message {
        private final Operation.Write write;
        private final ReferenceCounted object;
        private boolean flushed;
        private boolean late;
        private boolean behindBroken;
        private boolean behindPeersEnd;
        private boolean closed;
        private boolean certain;
        private String outcome;

        private Message(Operation.Write write, ReferenceCounted object) {
            this.write = write;
            this.object = object;
        }

        Operation.Write write() {
            return write;
        }

        /** The object of a pooled buffer may have another owner by now. Its pool detects a leak in the end. */
        boolean isReleased() {
            return write.kind().isPooled() || object.refCnt() == 0;
        }

        boolean isFlushed() {
            return flushed;
        }

        /** Whether it was written after this side had ended its output. */
        boolean isLate() {
            return late;
        }

        /** Whether it was written behind one that may end the output by throwing. */
        boolean isBehindBroken() {
            return behindBroken;
        }

        /** Whether it was written when the peer had ended its output, which it may have done by a close. */
        boolean isBehindPeersEnd() {
            return behindPeersEnd;
        }

        /** Whether it was flushed while neither side had ended anything, and nothing more was to come. */
        boolean isCertain() {
            return certain;
        }

        /** {@code null} while there is none, and always for a void promise. */
        String outcome() {
            return outcome;
        }

        boolean isDone() {
            return outcome != null || write.voidPromise();
        }

        boolean hasSucceeded() {
            return SUCCESS.equals(outcome);
        }

        boolean isCancelled() {
            return CANCELLED.equals(outcome);
        }

        @Override
        public String toString() {
            return "message " + write.id() + " (" + (outcome == null ? "no outcome" : outcome)
                    + (flushed ? "" : ", not flushed") + ')';
        }
    }

    /** The number of entries. */
    synchronized long entries() {
        return receivedBytes + messages.size() + passed.size() + events.size() + exceptions.size();
    }

    // ---- pending parts of this side's program ----

    synchronized void begin() {
        pending++;
    }

    synchronized void end() {
        pending--;
    }

    synchronized boolean isIdle() {
        return pending == 0;
    }

    // ---- its own messages ----

    synchronized void made(Operation.Write write, ReferenceCounted object) {
        Message message = new Message(write, object);
        message.closed = closed;
        messages.put(write.id(), message);
        byObject.put(object, message);
    }

    /** Called on the loop, which determines the order of messages. */
    synchronized void passedWrite(Object object) {
        Message message = byObject.get(object);
        message.late = outputEnded && ending == 0 || events.contains("inactive");
        message.behindPeersEnd = inputEnded;
        message.behindBroken = passed.stream().anyMatch(each -> each.write.kind().isBroken());
        passed.add(message);
    }

    /** Skips messages that have failed and, after the end, all that are about to fail: their listeners may flush. */
    synchronized void passedFlush() {
        if (!outputEnded || ending > 0) {
            passed.stream().filter(message -> message.outcome == null).forEach(message -> message.flushed = true);
        }
    }

    /** Called if neither side has ended anything yet. A message that will throw may have been written just now. */
    synchronized void settled() {
        passed.forEach(message -> message.certain = message.flushed && !message.behindBroken
                && !message.write.kind().isBroken());
    }

    /** Begins a pending part. The caller ends it when the scripts that wait for the message have run. */
    synchronized void ended(int id, Throwable cause) {
        pending++;
        Message message = messages.get(id);
        if (message.outcome != null) {
            problems.add(message + " has ended twice");
        }
        message.outcome = name(cause);
    }

    synchronized Collection<Message> messages() {
        return new ArrayList<>(messages.values());
    }

    /** In the order in which they reached the transport. */
    synchronized List<Message> passed() {
        return new ArrayList<>(passed);
    }

    // ---- received data ----

    /** Begins a pending part, like {@link #ended}. */
    synchronized void received(ByteBuf buffer) {
        pending++;
        checkReads();
        if (!events.contains("active") || events.contains("inactive") || events.contains("input shutdown")) {
            problems.add("bytes after " + events);
        }
        receivedBytes += buffer.readableBytes();
        if (!buffer.isReadable()) {
            problems.add("an empty buffer was read");
        }
        ByteBuf rest = buffer.duplicate();
        while (rest.isReadable() && problems.isEmpty()) {
            take(rest);
        }
    }

    private void take(ByteBuf rest) {
        if (coming < 0) {
            coming = rest.getUnsignedByte(rest.readerIndex());
            come = 0;
        }
        Integer size = peersSizes.get(coming);
        int count = size == null ? 0 : Math.min(size - come, rest.readableBytes());
        if (count == 0 || !Content.isNext(rest, coming, come, count)) {
            problems.add("other bytes than were sent, in message " + coming + " from its byte " + come + " on, behind "
                    + received);
            return;
        }
        rest.skipBytes(count);
        come += count;
        if (come == size) {
            received.add(coming);
            coming = -1;
        }
    }

    private void checkReads() {
        if (!autoRead && readsAsked-- <= 0) {
            problems.add("a read without a request");
        }
    }

    /** Called on the loop. */
    synchronized void autoRead(boolean on) {
        if (autoRead != on) {
            // Netty cancels a pending read when autoRead is switched off, and only then.
            readsAsked = 0;
        }
        autoRead = on;
    }

    /** Called on the loop. With autoRead the channel itself reads. */
    synchronized void passedRead() {
        readsAsked++;
    }

    synchronized List<Integer> received() {
        return new ArrayList<>(received);
    }

    synchronized long receivedBytes() {
        return receivedBytes;
    }

    /** The id of the message that has arrived in part, or -1. */
    synchronized int coming() {
        return coming;
    }

    // ---- events ----

    synchronized void event(String event) {
        events.add(event);
        inputEnded |= event.equals("input shutdown") || event.equals("inactive");
        // A message that throws ends the output as well.
        outputEnded |= event.equals("output shutdown") || event.equals("inactive");
        // One with an IOException closes the channel, which may have data to read.
        closeAsked |= event.equals("inactive") && isBroken;
        ended |= event.equals("unregistered") && events.contains("inactive");
    }

    synchronized void exception(Throwable cause) {
        exceptions.add(name(cause));
        if (cause instanceof Error || cause instanceof RuntimeException) {
            problems.add("thrown: " + cause);
        }
    }

    synchronized void problem(String problem) {
        problems.add(problem);
    }

    synchronized List<String> events() {
        return new ArrayList<>(events);
    }

    synchronized List<String> exceptions() {
        return new ArrayList<>(exceptions);
    }

    synchronized List<String> problems() {
        return new ArrayList<>(problems);
    }

    /** Whether the channel is closed and deregistered. */
    synchronized boolean hasEnded() {
        return ended;
    }

    /** Whether the peer's end was seen, or nothing can be seen any more. */
    synchronized boolean isInputEnded() {
        return inputEnded;
    }

    // ---- ends ----

    /** A close, on the loop. */
    synchronized void passedClose() {
        closeAsked = true;
        outputEnded = true;
        ending++;
    }

    synchronized void returnedEnd() {
        ending--;
    }

    /** A close has returned, on the loop. Pools and timeouts ask the channel, so it is closed from now on. */
    synchronized void closed(Channel channel) {
        closed = true;
        if (channel.isOpen() || channel.isActive() || channel.isWritable() || !channel.closeFuture().isDone()) {
            problems.add("the channel looks open after its close");
        }
    }

    /** A write has returned, on the loop. */
    synchronized void written(int id, ChannelPromise promise) {
        if (messages.get(id).closed && !promise.isVoid() && !promise.isDone()) {
            problems.add(messages.get(id) + " was written after the close, and waits");
        }
    }

    synchronized void passedShutdownOutput() {
        outputEnded = true;
        ending++;
    }

    synchronized void passedShutdownInput() {
        closeAsked = true;
        inputEnded = true;
    }

    synchronized void aborts() {
        aborted = true;
    }

    /** Whether it refuses to read what may still arrive. */
    synchronized boolean isCloseAsked() {
        return closeAsked;
    }

    synchronized boolean isOutputEnded() {
        return outputEnded;
    }

    synchronized boolean isAborted() {
        return aborted;
    }

    synchronized void writabilityChanges() {
        writabilityChanged = true;
    }

    synchronized boolean hasWritabilityChanged() {
        return writabilityChanged;
    }

    // ---- other promises ----

    /** Records an operation with a promise, such as a close. Returns its name for {@link #outcome}. */
    synchronized String asked(String what) {
        String name = what + " #" + ++operations;
        outcomes.put(name, "no outcome");
        return name;
    }

    /** Records what a channel says of itself. */
    synchronized void seen(String what, String answer) {
        outcomes.put(asked(what), answer);
    }

    synchronized void outcome(String name, Throwable cause) {
        outcomes.put(name, name(cause));
    }

    synchronized Map<String, String> outcomes() {
        return new LinkedHashMap<>(outcomes);
    }

    /** The properties of a failure that programs may distinguish. */
    private static String name(Throwable cause) {
        if (cause == null) {
            return SUCCESS;
        }
        if (cause instanceof CancellationException) {
            return CANCELLED;
        }
        if (cause instanceof ClosedChannelException) {
            return "closed";
        }
        if (cause instanceof ChannelOutputShutdownException) {
            return "output shut";
        }
        if (cause instanceof BufferKind.UnreadableException) {
            return UNREADABLE;
        }
        return cause instanceof IOException ? "IOException" : cause.getClass().getSimpleName();
    }
}
