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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.CharsetUtil;
import io.nettyrdma.link.BoundAddress;
import io.nettyrdma.link.Link;
import io.nettyrdma.link.LinkConfig;
import io.nettyrdma.link.LinkRequest;
import io.nettyrdma.metrics.RdmaChannelSnapshot;
import io.nettyrdma.metrics.RdmaCounters;
import io.nettyrdma.remote.ExposedMemory;
import io.nettyrdma.remote.RdmaImmediate;
import io.nettyrdma.remote.RemoteOperation;
import io.nettyrdma.stream.LastMessages;
import io.nettyrdma.stream.StreamInput;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A link without a device. The test is the peer: it opens the connection, takes and acknowledges messages, sends bytes
 * and leaves.
 *
 * <pre>
 *   outbound buffer   [ sent, not retired ][ not sent: no room, or not flushed before ]
 *                       {@link #unretired}
 * </pre>
 *
 * Misuse is kept in {@link #violations}, because an exception that a channel catches fails no test.
 */
final class TestLink implements Link {

    /** As {@link Link} draws them. */
    enum State { IDLE, OPENING, OPEN, DRAINING, DEPARTED }

    static final InetSocketAddress HERE = new InetSocketAddress("127.0.0.1", 1);
    static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 2);
    /** Stands for FIN among the messages. */
    static final String FIN = "FIN";

    private static final int NO_LIMIT = Integer.MAX_VALUE;

    /** What the peer has been sent, in order. */
    final List<String> sent = new ArrayList<>();
    final List<CountedBuf> received = new ArrayList<>();
    final List<String> violations = new ArrayList<>();
    State state = State.IDLE;
    boolean isCancelled;
    boolean isAborted;
    long spin;
    int keepalive;
    int drainMillis;
    /** Calls of {@link #flush}. */
    int flushes;
    TestAddress bound;

    /** Messages that may still be sent. */
    int room = NO_LIMIT;
    /** Whether a message is retired when it is sent, as if it was copied, and not when it is acknowledged. */
    boolean copies;
    /** The first step of the next connect fails with this. */
    IOException connectFailure;
    /** A message with this text cannot be sent. */
    String unsendable;
    /** Whether the peer waits until bytes are read or copied. */
    boolean isPeerStopped;

    private final RdmaCounters counters = new RdmaCounters();
    private Events receiver;
    private StreamInput input;
    private boolean isLeaving;
    private boolean inBatch;
    /** Of {@link #connect}. */
    private BoundAddress owned;
    private int unretired;
    /** Messages that may precede FIN; {@link #NO_LIMIT} before there is an end. */
    private int beforeFin = NO_LIMIT;
    private boolean finSent;
    private boolean finAcknowledged;
    private boolean isBroken;
    private boolean isPeerGone;

    TestLink(Events receiver) {
        this.receiver = receiver;
    }

    // ---- what the test does as the peer, and as the device ----

    /** The connection is open. */
    void open() {
        check(State.OPENING);
        state = State.OPEN;
        receiver.opened();
    }

    void openFails(Throwable cause) {
        receiver.openFailed(cause);
    }

    /** Messages arrive in one batch. */
    void receive(String... texts) {
        for (String text : texts) {
            input.add(kept(text));
        }
        batch();
    }

    void receive(RdmaImmediate immediate) {
        input.add(kept(""), immediate);
    }

    private CountedBuf kept(String text) {
        CountedBuf buffer = new CountedBuf(text);
        received.add(buffer);
        return buffer;
    }

    /** The peer sends FIN behind messages. */
    void receiveEnd(String... texts) {
        for (String text : texts) {
            input.add(kept(text));
        }
        input.end();
        batch();
    }

    /** All that was sent has arrived. */
    void acknowledge() {
        inBatch = true;
        retire();
        finAcknowledged = finSent;
        batch();
    }

    /** A batch of completions: reads, sends what waits, and ends. */
    void batch() {
        inBatch = true;
        receiver.received();
        inBatch = false;
        if (state == State.DEPARTED) {
            return;
        }
        try {
            flush(receiver.outbound());
        } catch (IOException e) {
            receiver.sendFailed(e);
        }
        if (isPeerGone) {
            receiver.peerLeft();
        } else {
            receiver.batchDone();
        }
    }

    /** The peer has left; what it sent may still arrive. */
    void peerLeaves() {
        receiver.peerLeft();
    }

    /** Nothing that the peer sent can arrive any more. */
    void peerIsGone() {
        isPeerGone = true;
        receiver.peerLeft();
    }

    /** The connection breaks. */
    void fail(IOException cause) {
        isBroken = true;
        receiver.failed(cause);
    }

    void endLoop() {
        receiver.loopEnds();
    }

    // ---- the registration ----

    @Override
    public RdmaCounters counters() {
        return counters;
    }

    @Override
    public void spin(long nanos) {
        spin = nanos;
    }

    @Override
    public void leave() {
        isLeaving = true;
    }

    @Override
    public boolean isLeaving() {
        return isLeaving;
    }

    @Override
    public void cancel() {
        isLeaving = true;
        isCancelled = true;
    }

    @Override
    public BoundAddress bind(InetSocketAddress local, LinkConfig config) {
        bound = new TestAddress(local, this);
        return bound;
    }

    @Override
    public void move(BoundAddress address) {
        bound = (TestAddress) address;
        bound.link = this;
    }

    // ---- the connection, seen from any thread ----

    @Override
    public InetSocketAddress localAddress() {
        return hasQueuePair() ? HERE : null;
    }

    @Override
    public InetSocketAddress peerAddress() {
        return hasQueuePair() ? PEER : null;
    }

    @Override
    public RdmaDeviceInfo device() {
        return null;
    }

    @Override
    public RdmaChannelSnapshot snapshot() {
        return null;
    }

    @Override
    public boolean hasQueuePair() {
        return state != State.IDLE;
    }

    // ---- opening ----

    @Override
    public void connect(InetSocketAddress remote, BoundAddress address, Supplier<LinkConfig> config, StreamInput to)
            throws IOException {
        if (address != null && ((TestAddress) address).link != this) {
            violations.add("connects with an address of another link");
        }
        owned = address;
        begin(to);
        if (connectFailure != null) {
            throw connectFailure;
        }
    }

    @Override
    public void accept(LinkRequest request, Supplier<LinkConfig> config, StreamInput to) {
        ((TestRequest) request).link = this;
        begin(to);
    }

    private void begin(StreamInput to) {
        check(State.IDLE);
        state = State.OPENING;
        input = to;
        input.attach(new Source());
    }

    private void check(State expected) {
        if (state != expected) {
            violations.add(state + ", not " + expected);
        }
    }

    @Override
    public boolean isOpening() {
        return state == State.OPENING;
    }

    // ---- an open connection ----

    @Override
    public void startKeepalive(int millis) {
        check(State.OPEN);
        keepalive = millis;
    }

    @Override
    public boolean isInBatch() {
        return inBatch && !isBroken;
    }

    @Override
    public void flush(ChannelOutboundBuffer in) throws IOException {
        flushes++;
        if (state == State.DEPARTED || state == State.IDLE || state == State.OPENING && in != null) {
            violations.add("flush while " + state);
        }
        if (isBroken) {
            throw new IOException("the link is broken");
        }
        int waiting = in == null ? 0 : send(in);
        if (copies) {
            retire();
        }
        if (beforeFin == 0 || beforeFin != NO_LIMIT && waiting == 0) {
            sendFin();
        }
    }

    /** Returns the number of flushed messages that found no room. */
    private int send(ChannelOutboundBuffer in) throws IOException {
        Waiting waiting = new Waiting(unretired);
        waiting.visit(in);
        for (ByteBuf message : waiting.messages) {
            if (room == 0 || beforeFin == 0) {
                break;
            }
            String text = message.toString(CharsetUtil.US_ASCII);
            if (text.equals(unsendable)) {
                throw new IOException("cannot send " + text);
            }
            sent.add(text);
            unretired++;
            room--;
            beforeFin -= beforeFin == NO_LIMIT ? 0 : 1;
        }
        return waiting.skipped + waiting.messages.size() - unretired;
    }

    private void sendFin() {
        if (!finSent) {
            finSent = true;
            sent.add(FIN);
        }
    }

    /** A promise's listener may close the channel, after which the messages are in another buffer. */
    private void retire() {
        for (ChannelOutboundBuffer out = receiver.outbound(); out != null && unretired > 0; out = receiver.outbound()) {
            unretired--;
            out.remove();
        }
    }

    @Override
    public void check(RemoteOperation operation) {
        throw new UnsupportedOperationException("no remote memory");
    }

    @Override
    public ExposedMemory expose(ByteBuf buffer, MemoryAccess... access) {
        throw new UnsupportedOperationException("no remote memory");
    }

    @Override
    public boolean isBroken() {
        return isBroken;
    }

    @Override
    public boolean isPeerGone() {
        return isPeerGone;
    }

    // ---- its end ----

    @Override
    public void finish(ChannelOutboundBuffer in, long maxBytes) throws IOException {
        if (beforeFin == NO_LIMIT) {
            if (in != null) {
                flush(in);
            }
            beforeFin = in == null ? 0 : lastMessages(in, maxBytes) - unretired;
        } else if (in == null) {
            beforeFin = 0;
        }
        flush(in);
    }

    @Override
    public int lastMessages(ChannelOutboundBuffer in, long maxBytes) {
        if (state == State.IDLE || state == State.OPENING) {
            return LastMessages.beforeStream(in, maxBytes);
        }
        Waiting waiting = new Waiting(unretired);
        waiting.visit(in);
        long left = maxBytes;
        int count = unretired;
        for (ByteBuf message : waiting.messages) {
            left -= message.readableBytes();
            if (left < 0) {
                break;
            }
            count++;
        }
        return count;
    }

    /** Flushed messages behind those that were sent. */
    private static final class Waiting implements ChannelOutboundBuffer.MessageProcessor {

        private final int maxBytes;
        private int skipped;
        private final List<ByteBuf> messages = new ArrayList<>();

        Waiting(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        void visit(ChannelOutboundBuffer in) {
            try {
                in.forEachFlushedMessage(this);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public boolean processMessage(Object message) {
            if (skipped < maxBytes) {
                skipped++;
            } else {
                messages.add((ByteBuf) message);
            }
            return true;
        }
    }

    @Override
    public boolean isFinSent() {
        return finSent;
    }

    @Override
    public boolean isDrained() {
        return finAcknowledged || isBroken || isPeerGone;
    }

    @Override
    public void abort() {
        isAborted = true;
        isBroken = true;
    }

    @Override
    public void drain(Events draining, int millis) {
        drainMillis = millis;
        receiver = draining;
        if (state == State.OPEN) {
            state = State.DRAINING;
        }
    }

    @Override
    public void depart() {
        if (state == State.DEPARTED) {
            violations.add("departs twice");
        }
        state = State.DEPARTED;
        if (owned != null) {
            owned.close();
        }
    }

    private final class Source implements StreamInput.Source {

        @Override
        public boolean isPeerStopped() {
            return isPeerStopped;
        }

        @Override
        public ByteBuf deliver(ByteBuf buffer, ByteBufAllocator allocator) {
            return buffer;
        }
    }
}
