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

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A peer that connects and speaks by hand, by the book or not: one queue pair, no stream. It takes so few frames that
 * none of its receives is posted twice. Belongs to the test's thread.
 */
final class RawPeer implements AutoCloseable {

    /** What it says about its receives. */
    static final int BUFFER = 1024;
    static final int RECEIVES = 16;

    private static final int LONGEST = 1 << 16;

    private final Closer closer = new Closer();
    private final CmEvents events;
    private final CmSide side;
    private final TestMemory in;
    private final TestMemory out;
    private int sendsPosted;

    /** One that may ask the server, and has not yet. */
    RawPeer(InetSocketAddress server) throws Exception {
        try {
            events = closer.add(new CmEvents());
            CmId id = events.create(CmPortSpace.TCP);
            CmSide.resolve(events, id, server);
            side = closer.add(new CmSide(events, id, RcSettings.of(ApiVariant.preferred())));
            in = side.endpoint().memory(RECEIVES * BUFFER);
            out = side.endpoint().memory(LONGEST);
            for (int i = 0; i < RECEIVES; i++) {
                side.endpoint().receive(i, in, i * BUFFER, BUFFER);
            }
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    static ConnectData data() {
        return new ConnectData(ConnectData.VERSION, 0, BUFFER, RECEIVES, 0, 0, 0);
    }

    /** One whose connection is open, for frames. */
    static RawPeer connected(InetSocketAddress server) throws Exception {
        RawPeer peer = new RawPeer(server);
        try {
            CmEvent accepted = peer.ask(data().encode());
            assertThat(ConnectData.decode(accepted.privateData()).version()).isEqualTo(ConnectData.VERSION);
            peer.goThrough(accepted);
            return peer;
        } catch (Throwable e) {
            peer.closer.closeAfter(e);
            throw e;
        }
    }

    /** Asks for the connection; returns the answer, whatever it is. */
    CmEvent ask(byte[] privateData) throws IOException {
        side.queuePair().connect(CmConnectionParameters.DEFAULT.withPrivateData(privateData));
        return events.await(side.id());
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

    /** A frame of those bytes in front of its payload, right or wrong. */
    static byte[] frame(int type, int flagsAndReserved, int length, int granted, byte... payload) {
        return ByteBuffer.allocate(FrameHeader.SIZE + payload.length).putInt(type << 24 | flagsAndReserved)
                .putInt(length).putInt(granted).put(payload).array();
    }

    static byte[] frame(FrameType type, byte... payload) {
        return frame(type.number(), 0, payload.length, RECEIVES, payload);
    }

    void send(byte[] message) throws IOException {
        out.put(0, message);
        sendsPosted++;
        side.endpoint().send(sendsPosted, out, 0, message.length);
    }

    /** What has become of the oldest send that was not asked for. */
    Completed sent() throws IOException {
        return side.endpoint().sends().await();
    }

    void sendAndArrive(byte[] message) throws IOException {
        send(message);
        side.endpoint().sends().awaitSuccess();
    }

    /** The next frame, from its header on. */
    ByteBuffer next() throws IOException {
        Completed received = side.endpoint().receives().awaitSuccess();
        byte[] bytes = in.get((int) received.id() * BUFFER, received.bytes());
        FrameHeader.check(ByteBuffer.wrap(bytes), 0, bytes.length);
        return ByteBuffer.wrap(bytes);
    }

    /** The next frame of that type; CREDIT, which may come at any time, is left out. */
    ByteBuffer next(FrameType type) throws IOException {
        ByteBuffer frame = next();
        while (type != FrameType.CREDIT && FrameHeader.type(frame, 0) == FrameType.CREDIT.number()) {
            frame = next();
        }
        assertThat(FrameType.of(FrameHeader.type(frame, 0))).isEqualTo(type);
        return frame;
    }

    void awaitDisconnected() throws IOException {
        CmEvent event = events.await(side.id());
        assertThat(event.type()).as("%s", event).isEqualTo(CmEventType.DISCONNECTED);
        side.queuePair().disconnect();
    }

    @Override
    public void close() throws IOException {
        closer.close();
    }
}
