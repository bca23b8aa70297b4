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

import io.nettyrdma.protocol.AbortReason;
import io.nettyrdma.protocol.ConnectData;
import io.nettyrdma.protocol.FrameType;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Closer;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * A separate process that tries to make a server hold as many resources as possible, for as long as possible. It uses
 * verbs, and our protocol as far as it suits it. When a connection has reached the intended state, it is left alone: it
 * answers nothing, reads nothing and grants nothing.
 */
public final class HostilePeer implements AutoCloseable {

    private static final String LEAVE = "leave";
    private static final String DONE = "done";
    /** A server's initial window, less some that a PONG or so may take. */
    private static final int MESSAGES = 12;
    private static final int MESSAGE = 1000;
    private static final int LEAST = ConnectData.MIN_GRANTED;

    /** How a connection is made, and the state in which it is left. */
    @FunctionalInterface
    private interface Attack {

        /** Returns what is held, or {@code null}. */
        RawPeer on(InetSocketAddress server) throws Exception;
    }

    /** What the peer does. */
    public enum Behaviour {
        /** Gets the answer to its request, and does not confirm. */
        NEVER_CONFIRMS(server -> {
            RawPeer peer = RawPeer.of(server);
            peer.ask(RawPeer.data().encode());
            return peer;
        }),
        /** Sends a request, and the next before the first is answered. */
        FLOODS(server -> {
            RawPeer peer = RawPeer.of(server);
            peer.begin(RawPeer.data().encode());
            return peer;
        }),
        /** Sends a request and leaves. */
        LEAVES_EARLY(server -> {
            try (RawPeer peer = RawPeer.of(server)) {
                peer.begin(RawPeer.data().encode());
            }
            return null;
        }),
        /** Sends a request of another protocol. */
        SPEAKS_ANOTHER_PROTOCOL(server -> {
            RawPeer peer = RawPeer.of(server);
            peer.ask(new byte[ConnectData.SIZE]);
            return peer;
        }),
        /** Connects and does nothing else. */
        SAYS_NOTHING(RawPeer::connected),
        /** Sends much and reads no answer. */
        READS_NOTHING(server -> speaking(RawPeer.connected(server))),
        /** Grants as little as is allowed. */
        GRANTS_FIVE(server -> speaking(RawPeer.connected(server, LEAST, LEAST), LEAST)),
        /** Advertises receives that it has not posted, so that the server's device retries again and again. */
        POSTS_NOTHING(server -> speaking(RawPeer.connected(server, RawPeer.RECEIVES, 0))),
        /** Has sent FIN, and has no receive posted for the server's. */
        ENDS_AND_POSTS_NOTHING(server -> ended(RawPeer.connected(server, RawPeer.RECEIVES, 0))),
        /** Has sent FIN, and idles. */
        ENDS_AND_SITS(server -> ended(RawPeer.connected(server))),
        /** Aborts at once, and stays connected. */
        ABORTS(server -> {
            RawPeer peer = RawPeer.connected(server);
            peer.send(RawPeer.frame(FrameType.ABORT,
                    ByteBuffer.allocate(Integer.BYTES).putInt(AbortReason.RESET.number()).array()));
            return peer;
        }),
        /** Violates the protocol, and stays connected. */
        SENDS_RUBBISH(server -> {
            RawPeer peer = RawPeer.connected(server);
            peer.send(new byte[MESSAGE]);
            return peer;
        });

        private final Attack attack;

        Behaviour(Attack attack) {
            this.attack = attack;
        }
    }

    private final ChildProcess process;
    private final InetAddress ip;

    public HostilePeer(InetAddress ip) throws IOException {
        this.ip = ip;
        process = ChildProcess.start(HostilePeer.class, ip.getHostAddress());
    }

    /** Returns when that many connections have reached the intended state. */
    public void attack(Behaviour behaviour, int port, int count) throws InterruptedException {
        process.writeLine(behaviour + " " + port + " " + count);
        awaitDone();
    }

    /** Releases its connections, while it continues to run. */
    public void leave() throws InterruptedException {
        process.writeLine(LEAVE);
        awaitDone();
    }

    private void awaitDone() throws InterruptedException {
        String line = process.readLine();
        if (!line.equals(DONE)) {
            throw new AssertionError("the hostile peer of " + ip + " says " + line);
        }
    }

    void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void kill() throws InterruptedException {
        process.kill();
    }

    @Override
    public void close() {
        process.close();
    }

    private static RawPeer speaking(RawPeer peer) throws IOException {
        return speaking(peer, RawPeer.RECEIVES);
    }

    private static RawPeer speaking(RawPeer peer, int granted) throws IOException {
        byte[] message = RawPeer.frame(FrameType.DATA.number(), 0, MESSAGE, granted, new byte[MESSAGE]);
        for (int i = 0; i < MESSAGES; i++) {
            peer.send(message);
        }
        return peer;
    }

    private static RawPeer ended(RawPeer peer) throws IOException {
        speaking(peer).send(RawPeer.frame(FrameType.FIN));
        return peer;
    }

    public static void main(String[] arguments) throws Exception {
        InetAddress ip = InetAddress.getByName(arguments[0]);
        Closer held = new Closer();
        BufferedReader lines = ChildProcess.parentLines();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals(LEAVE)) {
                held.close();
                held = new Closer();
            } else {
                String[] words = line.split(" ");
                Attack attack = Behaviour.valueOf(words[0]).attack;
                InetSocketAddress server = new InetSocketAddress(ip, Integer.parseInt(words[1]));
                for (int i = Integer.parseInt(words[2]); i > 0; i--) {
                    RawPeer peer = attack.on(server);
                    if (peer != null) {
                        held.add(peer);
                    }
                }
            }
            ChildProcess.reportToParent(DONE);
        }
    }
}
