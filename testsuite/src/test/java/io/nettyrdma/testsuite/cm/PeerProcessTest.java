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
package io.nettyrdma.testsuite.cm;

import io.nettyrdma.cm.CmConnectionParameters;
import io.nettyrdma.cm.CmEvent;
import io.nettyrdma.cm.CmEventType;
import io.nettyrdma.cm.CmId;
import io.nettyrdma.cm.CmPortSpace;
import io.nettyrdma.cm.CmState;
import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.ChildProcess;
import io.nettyrdma.testsuite.support.CmEvents;
import io.nettyrdma.testsuite.support.CmPair;
import io.nettyrdma.testsuite.support.CmSide;
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

import static io.nettyrdma.verbs.WorkCompletionStatus.FLUSHED;
import static io.nettyrdma.verbs.WorkCompletionStatus.TRANSPORT_RETRY_EXCEEDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The client is a separate process, which talks to us, or is killed in the middle of it. */
@Tag("device")
@Tag("native-speed")
class PeerProcessTest {

    private static final int ROUNDS = 10;
    private static final int SENDS = 8;
    /** 4.096 us times 2^14 is 67 ms, instead of the seconds that the connection manager takes. */
    private static final int ACK_TIMEOUT = 14;
    /** Not 7 retries: Soft-RoCE takes that for unlimited, and would never give up. */
    private static final CmConnectionParameters BOUNDED = CmConnectionParameters.DEFAULT.withRetries(2, 7);
    private static final int SIZE = 4;
    private static final int EINVAL = 22;

    @Test
    void twoProcessesUseTheSameByteOrder() throws Exception {
        assumeTrue(TestDevice.get().capabilities().immediate(), "no immediate data");
        try (CmPair pair = new CmPair(TestDevice.get().ipv4()); ChildProcess child = start(pair, Talker.class)) {
            CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
            Endpoint endpoint = pair.answer(request).endpoint();
            TestMemory memory = endpoint.memory(2 * SIZE);
            endpoint.receive(0, memory, 0, SIZE);
            pair.server().accept(request);
            pair.server().awaitEstablished();
            for (int i = 0; i < ROUNDS; i++) {
                Completed ping = endpoint.receives().awaitSuccess();
                assertThat(ping.immediate()).isEqualTo(0x01020304 + i);
                assertThat(memory.bytes().getInt(0)).isEqualTo(i);
                endpoint.receive(i + 1, memory, 0, SIZE);
                int pong = Integer.reverseBytes(ping.immediate());
                memory.bytes().putInt(SIZE, -i);
                endpoint.send(batch -> batch.sendWithImmediate(1, pong).sge(memory.region(), SIZE, SIZE).signaled());
                endpoint.sends().awaitSuccess();
            }
            pair.server().await(CmEventType.DISCONNECTED);
            pair.server().queuePair().disconnect();
            assertThat(endpoint.receives().await().status()).isEqualTo(FLUSHED);
            assertThat(child.readLine()).isEqualTo("done");
            assertThat(child.exitStatus()).isZero();
        }
    }

    /**
     * One process with three connections is killed. On the first, the server does nothing, and its queue pair detects
     * the failure. On the second, the server disconnects as soon as it is notified. The third was not accepted yet.
     */
    @Test
    void connectionsOfAKilledPeerEnd() throws Exception {
        TestDevice.get().assumeWaitsForReceives();
        try (CmPair pair = new CmPair(TestDevice.get().ipv4()); ChildProcess child = start(pair, Victim.class)) {
            CmEvent[] requests = new CmEvent[3];
            for (int i = 0; i < requests.length; i++) {
                CmEvent request = pair.serverEvents().awaitRequest(pair.listener());
                requests[request.privateData()[0]] = request;
            }
            requests[0].newId().ackTimeout(ACK_TIMEOUT);
            CmSide unaware = accept(pair, requests[0]);
            CmSide aware = accept(pair, requests[1]);
            assertThat(child.readLine()).isEqualTo("connected");
            post(unaware.endpoint());
            post(aware.endpoint());
            child.kill();

            aware.await(CmEventType.DISCONNECTED);
            aware.queuePair().disconnect();
            assertFailed(aware.endpoint(), FLUSHED, TRANSPORT_RETRY_EXCEEDED);
            assertFailed(unaware.endpoint(), TRANSPORT_RETRY_EXCEEDED);
            unaware.await(CmEventType.DISCONNECTED);
            assertThat(unaware.id().state()).isEqualTo(CmState.DISCONNECTED);

            // The listener continues. Its next request comes after everything from the killed process.
            pair.connect();
            pair.client().deliver(pair.server(), "life goes on".getBytes());
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> requests[2].newId().accept(CmConnectionParameters.DEFAULT))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(EINVAL));
        }
    }

    private static CmSide accept(CmPair pair, CmEvent request) throws Exception {
        CmSide server = pair.answer(request);
        server.queuePair().accept(request, BOUNDED);
        server.awaitEstablished();
        return server;
    }

    /** A receive that is never filled, and sends that are never received. */
    private static void post(Endpoint endpoint) throws Exception {
        TestMemory memory = endpoint.memory(SENDS);
        endpoint.receive(99, memory, 0, SENDS);
        endpoint.send(batch -> {
            for (int i = 0; i < SENDS; i++) {
                batch.send(i).sge(memory.region(), i, 1).signaled();
            }
        });
    }

    /** @param first the statuses that the first send may have; the others were flushed. */
    private static void assertFailed(Endpoint endpoint, WorkCompletionStatus... first) throws Exception {
        List<Completed> sends = endpoint.sends().await(SENDS);
        assertThat(sends).extracting(Completed::id).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(sends.get(0).status()).isIn((Object[]) first);
        assertThat(sends.subList(1, SENDS)).extracting(Completed::status).containsOnly(FLUSHED);
        endpoint.sends().assertNoMore();
        Completed receive = endpoint.receives().await();
        assertThat(receive.id()).isEqualTo(99);
        assertThat(receive.status()).isEqualTo(FLUSHED);
        endpoint.receives().assertNoMore();
    }

    /** Starts the child, which takes long, and waits until it connects. */
    private static ChildProcess start(CmPair pair, Class<?> main) throws Exception {
        InetSocketAddress address = pair.listener().localAddress();
        ChildProcess child = ChildProcess.start(main, address.getAddress().getHostAddress(),
                Integer.toString(address.getPort()));
        try {
            assertThat(child.readLine()).isEqualTo("connecting");
            return child;
        } catch (Throwable e) {
            child.close();
            throw e;
        }
    }

    private static CmSide dial(CmEvents events, String[] address) throws Exception {
        CmId id = events.create(CmPortSpace.TCP);
        CmSide.resolve(events, id, new InetSocketAddress(InetAddress.getByName(address[0]),
                Integer.parseInt(address[1])));
        return new CmSide(events, id, RcSettings.of(ApiVariant.preferred()));
    }

    /** Sends numbers with immediates, expects them back reversed, then disconnects. */
    static final class Talker {

        private Talker() {
        }

        public static void main(String[] address) throws Exception {
            try (CmEvents events = new CmEvents(); CmSide side = dial(events, address)) {
                Endpoint endpoint = side.endpoint();
                TestMemory memory = endpoint.memory(2 * SIZE);
                side.connect(CmConnectionParameters.DEFAULT);
                ChildProcess.reportToParent("connecting");
                side.establish();
                for (int i = 0; i < ROUNDS; i++) {
                    int ping = 0x01020304 + i;
                    endpoint.receive(i, memory, 0, SIZE);
                    memory.bytes().putInt(SIZE, i);
                    endpoint.send(batch -> batch.sendWithImmediate(1, ping)
                            .sge(memory.region(), SIZE, SIZE).signaled());
                    endpoint.sends().awaitSuccess();
                    Completed pong = endpoint.receives().awaitSuccess();
                    assertThat(pong.immediate()).isEqualTo(Integer.reverseBytes(ping));
                    assertThat(memory.bytes().getInt(0)).isEqualTo(-i);
                }
                side.queuePair().disconnect();
                side.await(CmEventType.DISCONNECTED);
                ChildProcess.reportToParent("done");
            }
        }
    }

    /** Connects three times, posts nothing, and waits to be killed. */
    static final class Victim {

        private Victim() {
        }

        public static void main(String[] address) throws Exception {
            BufferedReader parent = ChildProcess.parentLines();
            try (CmEvents events = new CmEvents(); CmSide first = dial(events, address);
                 CmSide second = dial(events, address); CmSide third = dial(events, address)) {
                byte index = 0;
                for (CmSide side : List.of(first, second, third)) {
                    side.connect(BOUNDED.withPrivateData(new byte[] { index++ }));
                }
                ChildProcess.reportToParent("connecting");
                first.establish();
                second.establish();
                ChildProcess.reportToParent("connected");
                parent.readLine();
            }
        }
    }
}
