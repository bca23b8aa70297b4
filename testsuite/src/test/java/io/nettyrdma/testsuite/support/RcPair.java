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
package io.nettyrdma.testsuite.support;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Two connected queue pairs. The left one is in this process; {@link Peer#areElsewhere} says whether the right one is
 * in another.
 */
public final class RcPair implements AutoCloseable {

    private final Closer closer = new Closer();
    private final Endpoint left;
    private final Peer right;

    public RcPair(ApiVariant variant) throws Exception {
        this(RcSettings.of(variant));
    }

    public RcPair(RcSettings both) throws Exception {
        this(both, both);
    }

    public RcPair(RcSettings leftSettings, RcSettings rightSettings) throws Exception {
        try {
            left = closer.add(new Endpoint(leftSettings.variant(), leftSettings.queues()));
            right = closer.add(Peer.create(rightSettings));
            connect(left, leftSettings, right, rightSettings);
            if (!TestDevice.get().connectsByHand()) {
                letTheClientSpeak();
            }
        } catch (Throwable e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    /** Connects queue pairs in RESET in the way the device supports. On iWARP only {@code left} may send first. */
    public static void connect(Peer left, RcSettings leftSettings, Peer right, RcSettings rightSettings)
            throws Exception {
        if (TestDevice.get().connectsByHand()) {
            left.connect(right.address(), leftSettings);
            right.connect(left.address(), rightSettings);
            return;
        }
        InetSocketAddress listening = right.listen();
        left.dial(listening, leftSettings);
        right.accept(rightSettings);
        left.establish();
        right.awaitEstablished();
    }

    /** Afterwards either side may send. */
    private void letTheClientSpeak() throws Exception {
        right.receive(0, right.memory(1), 0, 1);
        left.send(0, left.memory(1), 0, 1);
        right.receives().awaitSuccess();
        left.sends().awaitSuccess();
    }

    public Endpoint left() {
        return left;
    }

    public Peer right() {
        return right;
    }

    /** For a test that is {@link OneProcess}. */
    public Endpoint rightHere() {
        return (Endpoint) right;
    }

    @Override
    public void close() throws IOException {
        closer.close();
    }
}
