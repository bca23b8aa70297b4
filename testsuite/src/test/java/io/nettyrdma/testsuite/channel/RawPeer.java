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
package io.nettyrdma.testsuite.channel;

import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameHeader;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.WorkCompletionStatus;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A peer that connects, or accepts a connection, and sends hand-made frames, valid or not: one queue pair, no stream.
 * Posts a receive for each frame that it has examined. Confined to the thread that created it.
 */
final class RawPeer implements AutoCloseable {

    /** The receives that it advertises. */
    static final int BUFFER = 1024;
    static final int RECEIVES = 32;

    /** Of all messages in flight. */
    private static final int MOST_BYTES = 1 << 16;
    /** A short frame lies within one page, as siw corrupts others: see docs/drivers.md. */
    private static final int ALIGNMENT = 64;

    private final Closer closer;
    private final CmEvents events;
    private final CmSide side;
    private final TestMemory in;
    private final TestMemory out;
    private ConnectData offer;
    private int sendsPosted;
    private int outAt;
    private int granted = RECEIVES;

    /**
     * @param closer closed with this object.
     * @param receives the number that is posted, whatever is advertised.
     */
    private RawPeer(Closer closer, CmEvents events, CmId id, int receives) throws Exception {
        this.closer = closer;
        this.events = events;
        side = closer.add(new CmSide(events, id, RcSettings.of(ApiVariant.preferred())));
        in = side.endpoint().memory(RECEIVES * BUFFER);
        out = side.endpoint().memory(MOST_BYTES + ALIGNMENT);
        for (int i = 0; i < receives; i++) {
            receive(i);
        }
    }

    /** A peer that has not sent its request yet. */
    static RawPeer of(InetSocketAddress server) throws Exception {
        return of(server, RECEIVES);
    }

    private static RawPeer of(InetSocketAddress server, int receives) throws Exception {
        Closer closer = new Closer();
        try {
            CmEvents events = closer.add(new CmEvents());
            CmId id = events.create(CmPortSpace.TCP);
            CmSide.resolve(events, id, server);
            return new RawPeer(closer, events, id, receives);
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    static ConnectData data() {
        return data(RECEIVES);
    }

    private static ConnectData data(int granted) {
        return new ConnectData(ConnectData.VERSION, 0, BUFFER, granted);
    }

    /** A peer with an open connection, for frames. */
    static RawPeer connected(InetSocketAddress server) throws Exception {
        return connected(server, RECEIVES, RECEIVES);
    }

    /** A peer with an open connection that takes announcements of sizes. */
    static RawPeer takingSizes(InetSocketAddress server) throws Exception {
        return connected(server, new ConnectData(ConnectData.VERSION, ConnectData.RECEIVE_SIZES, BUFFER, RECEIVES),
                RECEIVES);
    }

    /**
     * A peer with an open connection.
     *
     * @param advertised the number of receives that it advertises.
     * @param posted the number that it posts.
     */
    static RawPeer connected(InetSocketAddress server, int advertised, int posted) throws Exception {
        return connected(server, data(advertised), posted);
    }

    private static RawPeer connected(InetSocketAddress server, ConnectData data, int posted) throws Exception {
        RawPeer peer = of(server, posted);
        try {
            CmEvent accepted = peer.ask(data.encode());
            peer.offer = ConnectData.decode(accepted.privateData());
            assertThat(peer.offer.version()).isEqualTo(ConnectData.VERSION);
            peer.goThrough(accepted);
            return peer;
        } catch (Throwable e) {
            peer.closer.closeAfter(e);
            throw e;
        }
    }

    /** A peer that has connected and sent a frame: on iWARP the accepting side may not send before that. */
    static RawPeer heard(InetSocketAddress server) throws Exception {
        RawPeer peer = connected(server);
        try {
            peer.sendAndArrive(frame(FrameType.CREDIT));
            return peer;
        } catch (Throwable e) {
            peer.closer.closeAfter(e);
            throw e;
        }
    }

    /** A peer that has accepted the request and may send. */
    static RawPeer accepted(CmEvents events, CmEvent request) throws Exception {
        Closer closer = new Closer();
        try {
            RawPeer peer = new RawPeer(closer, events, request.newId(), RECEIVES);
            peer.offer = ConnectData.decode(request.privateData());
            peer.side.queuePair().accept(request, CmConnectionParameters.DEFAULT.withPrivateData(data().encode()));
            peer.side.awaitEstablished();
            if (!TestDevice.get().connectsByHand()) {
                // iWARP: the accepting side may not send before the other side has sent.
                peer.next(FrameType.CREDIT);
            }
            return peer;
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    /** Requests the connection and returns the answer, whatever it is. */
    CmEvent ask(byte[] privateData) throws IOException {
        begin(privateData);
        return events.await(side.id());
    }

    /** Requests the connection without waiting for the answer. */
    void begin(byte[] privateData) throws IOException {
        side.connect(CmConnectionParameters.DEFAULT.withPrivateData(privateData));
    }

    private void goThrough(CmEvent accepted) throws IOException {
        boolean byHand = TestDevice.get().connectsByHand();
        assertThat(accepted.type()).as("%s", accepted)
                .isEqualTo(byHand ? CmEventType.CONNECT_RESPONSE : CmEventType.ESTABLISHED);
        if (byHand) {
            side.queuePair().establish(accepted);
        } else {
            side.queuePair().established();
        }
    }

    /** A frame with these header fields and payload, valid or not. */
    static byte[] frame(int type, int flagsAndReserved, int length, int granted, byte... payload) {
        return ByteBuffer.allocate(FrameHeader.SIZE + payload.length).putInt(type << 24 | flagsAndReserved)
                .putInt(length).putInt(granted).putInt(0).put(payload).array();
    }

    /** A frame that grants receives of so many bytes. */
    static byte[] frame(FrameType type, int granted, int receive, byte... payload) {
        byte[] frame = new byte[FrameHeader.SIZE + payload.length];
        FrameHeader.write(ByteBuffer.wrap(frame), 0, type, payload.length, granted, receive);
        System.arraycopy(payload, 0, frame, FrameHeader.SIZE, payload.length);
        return frame;
    }

    static byte[] frame(FrameType type, byte... payload) {
        return frame(type.number(), 0, payload.length, RECEIVES, payload);
    }

    /** The connection data of the other end, once the connection is open. */
    ConnectData offer() {
        return offer;
    }

    /** The number of receives posted since the beginning. */
    int granted() {
        return granted;
    }

    void send(byte[] message) throws IOException {
        if (outAt + message.length > MOST_BYTES) {
            outAt = 0;
        }
        outAt += (int) (-out.address(outAt) & ALIGNMENT - 1);
        out.put(outAt, message);
        sendsPosted++;
        int at = outAt;
        unlessTheOtherHasGone(() -> side.endpoint().send(sendsPosted, out, at, message.length));
        outAt += message.length;
    }

    /** Writes to memory whose key it does not have. The other end's device ends the connection for that. */
    void trespass() throws IOException {
        sendsPosted++;
        unlessTheOtherHasGone(() -> side.endpoint().send(batch -> batch.write(sendsPosted, 0, 0)
                .sge(out.region(), 0, Long.BYTES).signaled()));
    }

    /** Writes nothing, with an immediate: the other end's device checks no key. */
    void sendImmediate(int immediate) throws IOException {
        sendsPosted++;
        unlessTheOtherHasGone(() -> side.endpoint().send(batch -> batch.writeWithImmediate(sendsPosted, 0, 0, immediate)
                .signaled()));
    }

    /** The completion of the oldest send that was not awaited. */
    Completed sent() throws IOException {
        return side.endpoint().sends().await();
    }

    /** On iWARP the completion says only that the device has the bytes. */
    void sendAndArrive(byte[] message) throws IOException {
        send(message);
        awaitArrival(1);
    }

    /** Waits until that many more messages have arrived, or on iWARP until the device has them. */
    void awaitArrival(int messages) throws IOException {
        side.endpoint().sends().awaitSuccess(messages);
    }

    /** The next frame, including its header. */
    ByteBuffer next() throws IOException {
        Completed received = side.endpoint().receives().awaitSuccess();
        int slot = (int) received.id();
        byte[] bytes = in.get(slot * BUFFER, received.bytes());
        receive(slot);
        granted++;
        FrameHeader.check(ByteBuffer.wrap(bytes), 0, bytes.length);
        return ByteBuffer.wrap(bytes);
    }

    /** The next frame of that type. Skips CREDIT, which may come at any time. */
    ByteBuffer next(FrameType type) throws IOException {
        ByteBuffer frame = next();
        while (type != FrameType.CREDIT && FrameHeader.type(frame, 0) == FrameType.CREDIT.number()) {
            frame = next();
        }
        assertThat(FrameType.of(FrameHeader.type(frame, 0))).isEqualTo(type);
        return frame;
    }

    /** All frames that have arrived by now, including their headers. Call nothing else that receives after it. */
    List<byte[]> arrived() throws IOException {
        List<byte[]> frames = new ArrayList<>();
        for (Completed received : side.endpoint().receives().all()) {
            if (received.status() == WorkCompletionStatus.SUCCESS) {
                frames.add(in.get((int) received.id() * BUFFER, received.bytes()));
            }
        }
        return frames;
    }

    /** Expects FIN next. On iWARP also confirms it, because the other end waits for that. */
    void confirmEnd() throws IOException {
        next(FrameType.FIN);
        if (TestDevice.get().completesWhenTaken()) {
            send(pong(next(FrameType.PING)));
        }
    }

    /** The answer to a PING. */
    static byte[] pong(ByteBuffer ping) {
        byte[] asked = new byte[Long.BYTES];
        ping.get(FrameHeader.SIZE, asked);
        return frame(FrameType.PONG, asked);
    }

    private void receive(int slot) throws IOException {
        unlessTheOtherHasGone(() -> side.endpoint().receive(slot, in, slot * BUFFER, BUFFER));
    }

    @FunctionalInterface
    private interface Post {
        void run() throws IOException;
    }

    /** After the other end has left, a post is refused on iWARP. */
    private static void unlessTheOtherHasGone(Post post) throws IOException {
        try {
            post.run();
        } catch (PostException e) {
            assertThat(e.isNotConnected()).as("%s", e).isTrue();
        }
    }

    /** Sends FIN, and waits for the answer. */
    void leave() throws IOException {
        side.id().disconnect();
    }

    /** Leaves without sending a frame. */
    void disconnect() throws IOException {
        side.queuePair().disconnect();
    }

    void awaitDisconnected() throws IOException {
        CmEvent event = events.await(side.id());
        assertThat(event.type()).as("%s", event).isEqualTo(CmEventType.DISCONNECTED);
        disconnect();
    }

    @Override
    public void close() throws IOException {
        closer.close();
    }
}
