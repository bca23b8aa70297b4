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
 * A program of its own that wants a server to keep as much as it can, for as long as it can. It speaks verbs, and our
 * protocol as far as it suits it; when a connection is where it wants it, it never looks at it again, so that it
 * answers nothing, reads nothing and grants nothing.
 */
final class HostilePeer implements AutoCloseable {

    private static final String LEAVE = "leave";
    private static final String DONE = "done";
    /** As many as a server grants at the beginning, less some that a PONG or so may take. */
    private static final int MESSAGES = 12;
    private static final int MESSAGE = 1000;
    private static final int LEAST = ConnectData.MIN_GRANTED;

    /** How one connection is made, and where it is left. */
    @FunctionalInterface
    private interface Attack {

        /** Returns what is held, or {@code null}. */
        RawPeer on(InetSocketAddress server) throws Exception;
    }

    /** What it does. */
    enum Behaviour {
        /** Gets the answer to its request, and does not confirm. */
        NEVER_CONFIRMS(server -> {
            RawPeer peer = RawPeer.of(server);
            peer.ask(RawPeer.data().encode());
            return peer;
        }),
        /** Asks, and asks again with the next, before there is an answer. */
        FLOODS(server -> {
            RawPeer peer = RawPeer.of(server);
            peer.begin(RawPeer.data().encode());
            return peer;
        }),
        /** Asks, and is gone. */
        LEAVES_EARLY(server -> {
            try (RawPeer peer = RawPeer.of(server)) {
                peer.begin(RawPeer.data().encode());
            }
            return null;
        }),
        /** Asks in the words of another protocol. */
        SPEAKS_ANOTHER_PROTOCOL(server -> {
            RawPeer peer = RawPeer.of(server);
            peer.ask(new byte[ConnectData.SIZE]);
            return peer;
        }),
        /** Connects, and that is all. */
        SAYS_NOTHING(RawPeer::connected),
        /** Says a lot, and takes no answer. */
        READS_NOTHING(server -> speaking(RawPeer.connected(server))),
        /** As little as may be granted. */
        GRANTS_FIVE(server -> speaking(RawPeer.connected(server, LEAST, LEAST), LEAST)),
        /** Says that it has posted receives, and has not: the server's device tries again and again. */
        POSTS_NOTHING(server -> speaking(RawPeer.connected(server, RawPeer.RECEIVES, 0))),
        /** Has said all, and waits for the server's end without a receive for it. */
        ENDS_AND_POSTS_NOTHING(server -> ended(RawPeer.connected(server, RawPeer.RECEIVES, 0))),
        /** Has said all, and sits. */
        ENDS_AND_SITS(server -> ended(RawPeer.connected(server))),
        /** Gives up at once, and stays. */
        ABORTS(server -> {
            RawPeer peer = RawPeer.connected(server);
            peer.send(RawPeer.frame(FrameType.ABORT,
                    ByteBuffer.allocate(Integer.BYTES).putInt(AbortReason.RESET.number()).array()));
            return peer;
        }),
        /** Breaks the protocol, and stays. */
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

    HostilePeer(InetAddress ip) throws IOException {
        this.ip = ip;
        process = ChildProcess.start(HostilePeer.class, ip.getHostAddress());
    }

    /** Returns when so many connections are where it wants them. */
    void attack(Behaviour behaviour, int port, int count) throws InterruptedException {
        process.writeLine(behaviour + " " + port + " " + count);
        awaitDone();
    }

    /** It goes on like that, but lets go of what it has. */
    void leave() throws InterruptedException {
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
            ChildProcess.tellParent(DONE);
        }
    }
}
