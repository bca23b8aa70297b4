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

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.testsuite.channel.DyingPeer.Service;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.Deadline;
import io.nettyrdma.testsuite.support.FaultSeeds;
import io.nettyrdma.testsuite.support.SoftHca;
import io.nettyrdma.testsuite.support.TestDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Faults under load, each kind with many seeds. Whatever happens to a connection, its promises complete once, its
 * buffers and registrations are released, the bytes of other connections are intact, and the loops continue.
 */
@Tag("device")
class FaultsUnderLoadTest {

    private static final double SECONDS = 30;
    private static final int CLIENTS = 6;
    private static final int MESSAGES = 12;
    private static final int ENDLESS = 1_000_000;
    private static final int MANY_CLIENTS = 200;
    private static final int FEW_MESSAGES = 3;
    private static final int WINDOW = 128 << 10;
    private static final int MUCH = 4 << 20;
    private static final int PEERS = 3;
    /** 4.096 us times 2^10 is 4 ms. */
    private static final int ACK_TIMEOUT = 10;
    private static final int MOST_OCCASIONS = 100;

    private InetAddress ip;

    @BeforeEach
    void findAddress() {
        SoftHca.assumeItIsTheDevice();
        ip = TestDevice.get().ip();
    }

    @AfterEach
    void endFaults() throws Exception {
        SoftHca.noFaults();
    }

    /** With unlimited retries a connection outlasts every storm; with limited ones some connections end. */
    @Test
    void receiversAreNotReady() {
        boolean waits = TestDevice.get().waitsForReceives();
        FaultSeeds.each("receivers are not ready", seed -> {
            boolean endures = waits && seed % 2 == 0;
            int retries = endures ? 7 : 1;
            try (Load load = new Load(ip, seed, children ->
                    children.childOption(RdmaChannelOption.RNR_RETRY_COUNT, retries))) {
                SoftHca.faults(seed, "rnr=0." + (1 + load.random().nextInt(5)));
                List<Talker> talkers = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    talkers.add(load.talk(load.address(), MESSAGES, WINDOW, client ->
                            client.option(RdmaChannelOption.RNR_RETRY_COUNT, retries)));
                }
                Load.await(talkers);
                SoftHca.noFaults();
                if (endures) {
                    talkers.forEach(Talker::assertIsWhole);
                }
                load.end();
            }
        });
    }

    /** They are sent again soon, and nothing is lost. */
    @Test
    void packetsAreLost() {
        FaultSeeds.each("packets are lost", seed -> {
            try (Load load = new Load(ip, seed, children ->
                    children.childOption(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT))) {
                SoftHca.faults(seed, "drop=0.0" + (1 + load.random().nextInt(5)));
                List<Talker> talkers = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    talkers.add(load.talk(load.address(), MESSAGES, WINDOW, client ->
                            client.option(RdmaChannelOption.ACK_TIMEOUT_EXPONENT, ACK_TIMEOUT)));
                }
                Load.await(talkers);
                SoftHca.noFaults();
                talkers.forEach(Talker::assertIsWhole);
                load.end();
            } finally {
                SoftHca.noFaults();
            }
        });
    }

    /** Posts of sends, posts of receives, or a completion that finds its queue full. */
    @ParameterizedTest
    @ValueSource(strings = { "post", "post-receive", "overrun" })
    void theDeviceRefuses(String what) {
        FaultSeeds.each("the device refuses: " + what, seed -> {
            try (Load load = new Load(ip, seed)) {
                SoftHca.faults(seed, load.random().nextBoolean() ? what + "=0.01"
                        : what + "@" + (1 + load.random().nextInt(MOST_OCCASIONS)));
                Load.await(load.talkMany(CLIENTS, MESSAGES));
                SoftHca.noFaults();
                load.end();
            } finally {
                SoftHca.noFaults();
            }
        });
    }

    @Test
    void completionsComeLate() {
        FaultSeeds.each("completions come late", seed -> {
            try (Load load = new Load(ip, seed)) {
                SoftHca.faults(seed, "delay=0." + (1 + load.random().nextInt(5)) + ":"
                        + (1 + load.random().nextInt(1000)) + "us");
                List<Talker> talkers = load.talkMany(CLIENTS, MESSAGES);
                Load.await(talkers);
                talkers.forEach(Talker::assertIsWhole);
                load.end();
            } finally {
                SoftHca.noFaults();
            }
        });
    }

    /** Half of the clients leave as soon as they are connected, so their disconnect may overtake the confirmation. */
    @Test
    void connectionManagerMessagesAreRepeatedOrLate() {
        FaultSeeds.each("messages of the connection manager come twice or late", seed -> {
            try (Load load = new Load(ip, seed)) {
                SoftHca.faults(seed, "repeat=0.3,late=0.3:" + (1 + load.random().nextInt(10)) + "ms");
                List<Talker> talkers = load.talkMany(CLIENTS, MESSAGES);
                List<Talker> leaving = load.talkMany(CLIENTS, FEW_MESSAGES);
                for (Talker each : leaving) {
                    if (load.random().nextBoolean()) {
                        each.abortAfter(0);
                    } else {
                        each.connected().addListener(connected -> each.channel().close());
                    }
                }
                Load.await(talkers);
                Load.awaitEnd(leaving);
                talkers.forEach(Talker::assertIsWhole);
                load.end();
            } finally {
                SoftHca.noFaults();
            }
        });
    }

    /** Memory that cannot be registered is copied. A connection that cannot register its receives ends. */
    @Test
    void registrationsFail() {
        FaultSeeds.each("registrations fail", seed -> {
            try (Load load = new Load(ip, seed)) {
                List<Talker> before = load.talkMany(1, MESSAGES);
                Load.await(before);
                before.get(0).assertIsWhole();
                SoftHca.faults(seed, load.random().nextBoolean() ? "register=0.5"
                        : "register@" + (1 + load.random().nextInt(6)));
                Load.await(load.talkMany(CLIENTS, MESSAGES));
                SoftHca.noFaults();
                load.end();
            } finally {
                SoftHca.noFaults();
            }
        });
    }

    @Test
    void halfOfManyConnectionsAreAborted() {
        FaultSeeds.each("half of many connections are aborted", seed -> {
            try (Load load = new Load(ip, seed)) {
                List<Talker> all = load.talkMany(MANY_CLIENTS, FEW_MESSAGES);
                Collections.shuffle(all, load.random());
                List<Talker> aborted = all.subList(0, MANY_CLIENTS / 2);
                for (Talker each : aborted) {
                    if (load.random().nextBoolean()) {
                        each.abortAfter(load.random().nextInt(1 << 14));
                    } else {
                        each.connected().addListener(connected -> load.abortChildOf(each));
                    }
                }
                List<Talker> others = all.subList(MANY_CLIENTS / 2, MANY_CLIENTS);
                Load.await(others);
                others.forEach(Talker::assertIsWhole);
                Load.awaitEnd(aborted);
                load.end();
            }
        });
    }

    /** In its own process, because everything else that this process has open would lose its device too. */
    @Test
    void theDeviceIsRemoved() throws Exception {
        try (ChildProcess child = ChildProcess.start(Removals.class)) {
            assertThat(child.readLine(Deadline.ofSeconds(600))).isEqualTo("passed");
        }
    }

    static final class Removals {

        private static final int MOST_POSTS = 400;

        private Removals() {
        }

        public static void main(String[] arguments) {
            InetAddress ip = TestDevice.get().ip();
            try {
                FaultSeeds.each("the device is removed", seed -> remove(ip, seed));
                ChildProcess.reportToParent("passed");
            } catch (AssertionError e) {
                ChildProcess.reportToParent(e.getMessage().replace('\n', ' '));
                throw e;
            }
        }

        private static void remove(InetAddress ip, int seed) throws Exception {
            try (Load load = new Load(ip, seed)) {
                SoftHca.faults(seed, "remove@" + (1 + load.random().nextInt(MOST_POSTS)));
                Load.awaitEnd(load.talkMany(CLIENTS, ENDLESS));
                SoftHca.noFaults();
                SoftHca.control("insert-device");
                // Until the loops are notified of the removal, they would take the old device for the present one.
                load.letLoopsWork();
                // Loops take one event of the connection manager per turn, and each connection has one of its own.
                load.awaitEndOfListener();
                load.end();
            }
        }
    }

    @Test
    void thePeerIsKilled() throws Exception {
        Queue<DyingPeer> peers = new ArrayDeque<>();
        try {
            FaultSeeds.each("the peer is killed", seed -> {
                // The next peers start while this one dies.
                while (peers.size() < PEERS) {
                    peers.add(new DyingPeer(ip));
                }
                try (DyingPeer peer = peers.remove(); Load load = new Load(ip, seed)) {
                    kill(peer, load);
                }
            });
        } finally {
            peers.forEach(DyingPeer::close);
        }
    }

    /** Kills a peer that has connections in each state. */
    private static void kill(DyingPeer peer, Load load) throws Exception {
        Random random = load.random();
        Talker echoed = load.talk(peer.address(Service.ECHO), ENDLESS, WINDOW);
        Talker idle = load.talk(peer.address(Service.ECHO), 0, 0);
        Talker receiving = load.talk(peer.address(Service.SOURCE), 0, 0);
        Talker sending = load.talk(peer.address(Service.SILENCE), ENDLESS, MUCH);
        Talker closing = load.talk(peer.address(Service.SILENCE), ENDLESS, MUCH);
        Talker halfClosed = load.talk(peer.address(Service.ECHO), MESSAGES, WINDOW,
                client -> client.option(ChannelOption.ALLOW_HALF_CLOSURE, true));
        Talker peerHalfClosed = load.talk(peer.address(Service.HALF_CLOSED), ENDLESS, MUCH,
                client -> client.option(ChannelOption.ALLOW_HALF_CLOSURE, true));
        List<Talker> dying = new ArrayList<>(
                List.of(echoed, idle, receiving, sending, closing, halfClosed, peerHalfClosed));
        for (Talker each : dying) {
            each.connected().sync();
        }
        // The request is accepted, and the answer is lost.
        SoftHca.control(peer.pid(), "faults message@2+");
        peer.connectTo(load.address());
        dying.add(load.talk(peer.address(Service.NO_ANSWER), MESSAGES, WINDOW));
        List<Talker> others = load.talkMany(CLIENTS, MESSAGES);
        ((SocketChannel) halfClosed.channel()).shutdownOutput();
        closing.channel().close();
        if (random.nextBoolean()) {
            SoftHca.control(peer.pid(), "faults kill@" + (1 + random.nextInt(200)));
        } else {
            int bytes = random.nextInt(MUCH);
            Deadline.ofSeconds(SECONDS).until("something to kill it in", () -> echoed.received() > bytes);
            peer.kill();
        }
        Deadline.ofSeconds(SECONDS).until("the end of the peer", () -> !peer.isAlive());
        // The peer had sent FIN before, so only a failed write shows that it no longer reads.
        Deadline.ofSeconds(SECONDS).until("a write that fails", () -> peerHalfClosed.channel()
                .writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).await().cause() != null);
        Load.awaitEnd(dying);
        Load.await(others);
        others.forEach(Talker::assertIsWhole);
        load.end();
    }
}
