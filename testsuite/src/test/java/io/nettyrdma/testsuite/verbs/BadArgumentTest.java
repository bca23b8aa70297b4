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
package io.nettyrdma.testsuite.verbs;

import io.nettyrdma.testsuite.support.ApiVariant;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.testsuite.support.Transitions;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairState;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.SharedReceiveQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Arguments that native code must never see are rejected first, and the connection works as before. */
@Tag("device")
class BadArgumentTest {

    private static final int DEPTH = 4;
    private static final int SIZE = 64;

    private RcPair connection;
    private QueuePair pair;
    private ProtectionDomain domain;
    private TestMemory memory;
    private MemoryRegion region;

    @BeforeEach
    void connect() throws Exception {
        connection = new RcPair(RcSettings.of(ApiVariant.preferred())
                .withQueues(new QueuePairConfig(QueuePairType.RC, DEPTH)));
        pair = connection.left().queuePair();
        domain = connection.left().domain();
        memory = connection.left().memory(SIZE);
        region = memory.region();
    }

    @AfterEach
    void theConnectionStillWorks() throws Exception {
        try (RcPair closing = connection) {
            if (pair.state() == QueuePairState.RTS) {
                closing.right().receive(1, closing.right().memory(SIZE), 0, SIZE);
                closing.left().send(batch -> batch.send(2).sge(region, 0, SIZE).signaled());
                assertThat(closing.right().receives().awaitSuccess().bytes()).isEqualTo(SIZE);
                assertThat(closing.left().sends().awaitSuccess().id()).isEqualTo(2);
                closing.left().sends().assertNoMore();
            }
        }
    }

    @Test
    void registration() {
        long address = region.address();
        assertArgument("negative length", "cannot register -1 bytes", () -> domain.register(address, -1, null));
        assertArgument("no length", "cannot register 0 bytes", () -> domain.register(address, 0, null));
        assertArgument("null address", "null address", () -> domain.register(0, SIZE, null));
        assertArgument("beyond the end", "beyond the end of the address space",
                () -> domain.register(-4096, 8192, null));
        assertArgument("heap buffer", "direct buffers", () -> domain.register(ByteBuffer.allocate(SIZE)));
        assertArgument("remote write alone", "require LOCAL_WRITE",
                () -> domain.register(memory.bytes(), MemoryAccess.REMOTE_WRITE));
        assertArgument("remote atomic alone", "require LOCAL_WRITE",
                () -> domain.register(memory.bytes(), MemoryAccess.REMOTE_ATOMIC));
    }

    @Test
    void sges() throws Exception {
        SendBatch batch = new SendBatch(DEPTH, 2).send(1);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> batch.sge(region, -1, 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> batch.sge(region, 0, -1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> batch.sge(region, 1, SIZE))
                .withMessageContaining(SIZE + " bytes at 1 are not within memory region");
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> batch.sge(region, Long.MAX_VALUE, 1));
        assertArgument("negative length by key", "cannot have -1 bytes", () -> batch.sge(1, -1, 0));
        assertArgument("null address by key", "null address", () -> batch.sge(0, 1, 0));
        MemoryRegion closed = domain.register(ByteBuffer.allocateDirect(SIZE));
        closed.close();
        assertState("closed region", "is closed", () -> batch.sge(closed, 0, 1));

        MemoryRegion foreign = connection.left().foreignMemory(SIZE).region();
        batch.sge(region, 0, 1);
        assertArgument("region of another domain", "is of protection domain", () -> batch.sge(foreign, 0, 1));
        batch.sge(region, 0, 1);
        assertState("a third SGE of two", "room for 2 SGEs", () -> batch.sge(region, 0, 1));
        assertState("an SGE without a request", "begin a work request first",
                () -> new SendBatch(1, 1).sge(region, 0, 1));
        assertState("a flag of nothing", "begin a work request first", () -> new SendBatch(1, 1).signaled());
    }

    @Test
    void sendBatches() throws Exception {
        MemoryRegion foreign = connection.left().foreignMemory(SIZE).region();
        assertArgument("empty", "is empty", () -> pair.post(new SendBatch(1, 1)));
        assertArgument("of another domain", "the batch is of protection domain",
                () -> pair.post(new SendBatch(1, 1).send(1).sge(foreign, 0, 1)));
        int sends = pair.granted().maxSends() + 1;
        SendBatch many = new SendBatch(sends, 1);
        for (int i = 0; i < sends; i++) {
            many.send(i);
        }
        assertArgument("more than the queue", "the batch has " + sends + " work requests", () -> pair.post(many));
        assertState("more than the batch", "room for " + sends, () -> many.send(sends));

        int sges = pair.granted().sendSge() + 1;
        SendBatch wide = new SendBatch(1, sges).send(1);
        for (int i = 0; i < sges; i++) {
            wide.sge(region, 0, 1);
        }
        assertArgument("more SGEs than the queue pair has", "has " + sges + " SGEs", () -> pair.post(wide));

        int inline = pair.granted().maxInline() + 1;
        TestMemory large = connection.left().memory(inline);
        SendBatch inlined = new SendBatch(1, 1).send(1).sge(large.region(), 0, inline).inline();
        assertArgument("more inline than the queue pair has", "has " + inline + " bytes inline",
                () -> pair.post(inlined));
        assertState("read inline", "RDMA_READ cannot be inline", () -> new SendBatch(1, 1).read(1, 1, 1).inline());
    }

    @Test
    void atomics() {
        long remote = 4096;
        assertArgument("not aligned", "multiple of 8", () -> new SendBatch(1, 1).fetchAndAdd(1, remote + 4, 1, 1));
        assertState("of 4 bytes", "needs one SGE of 8 bytes, it has 1 of 4 bytes",
                () -> pair.post(new SendBatch(1, 1).fetchAndAdd(1, remote, 1, 1).sge(region, 0, 4)));
        assertState("without memory for the answer", "it has 0 of 0 bytes",
                () -> pair.post(new SendBatch(1, 1).compareAndSwap(1, remote, 1, 1, 2)));
        assertState("of two SGEs, seen when the next begins", "it has 2 of 8 bytes",
                () -> new SendBatch(2, 2).fetchAndAdd(1, remote, 1, 1).sge(region, 0, 4).sge(region, 4, 4).send(2));
        assertState("inline", "FETCH_AND_ADD cannot be inline",
                () -> new SendBatch(1, 1).fetchAndAdd(1, remote, 1, 1).inline());
    }

    @Test
    void memoryWithoutLocalWrite() throws Exception {
        MemoryRegion readOnly = connection.left().memory(SIZE, new MemoryAccess[0]).region();
        assertArgument("read", "does not allow LOCAL_WRITE",
                () -> new SendBatch(1, 1).read(1, 1, 1).sge(readOnly, 0, 1));
        assertArgument("atomic", "does not allow LOCAL_WRITE",
                () -> new SendBatch(1, 1).fetchAndAdd(1, 8, 1, 1).sge(readOnly, 0, 8));
        assertArgument("receive", "does not allow LOCAL_WRITE",
                () -> new ReceiveBatch(1, 1).receive(1).sge(readOnly, 0, 1));
    }

    @Test
    void receiveBatches() throws Exception {
        assertArgument("empty", "is empty", () -> pair.post(new ReceiveBatch(1, 1)));
        assertState("without an SGE", "at least one SGE", () -> pair.post(new ReceiveBatch(1, 1).receive(1)));
        int receives = pair.granted().maxReceives() + 1;
        ReceiveBatch many = new ReceiveBatch(receives, 1);
        for (int i = 0; i < receives; i++) {
            many.receive(i).sge(region, 0, 1);
        }
        assertArgument("more than the queue", "the batch has " + receives + " work requests", () -> pair.post(many));
        int sges = pair.granted().receiveSge() + 1;
        ReceiveBatch wide = new ReceiveBatch(1, sges).receive(1);
        for (int i = 0; i < sges; i++) {
            wide.sge(region, 0, 1);
        }
        assertArgument("more SGEs than the queue pair has", "has " + sges + " SGEs", () -> pair.post(wide));
    }

    @Test
    void destinations() throws Exception {
        TestDevice.get().assumeDatagrams();
        TestDevice device = TestDevice.get();
        AddressHandle way = connection.left().own(
                domain.createAddressHandle(device.wayTo(device.gid(), device.attributes().lid())));
        assertArgument("of a connection", "is connected",
                () -> pair.post(new SendBatch(1, 1).send(1).to(way, 1, 1)));
        try (Endpoint datagrams = new Endpoint(ApiVariant.preferred(), new QueuePairConfig(QueuePairType.UD, DEPTH),
                domain, null)) {
            QueuePair queue = datagrams.queuePair();
            Transitions.activateDatagrams(queue, 1);
            assertArgument("of none", "0 of 1 datagrams have a destination",
                    () -> queue.post(new SendBatch(1, 1).send(1)));
            assertArgument("of the first only", "1 of 2 datagrams have a destination",
                    () -> queue.post(new SendBatch(2, 1).send(1).to(way, 1, 1).send(2)));
            assertArgument("write", "does not have all", () -> queue.post(new SendBatch(1, 1).write(1, 1, 1)));
        }
    }

    @Test
    void postingTooEarly() throws Exception {
        RcSettings settings = RcSettings.of(ApiVariant.preferred());
        try (Endpoint endpoint = new Endpoint(settings.variant(), settings.queues())) {
            TestMemory sink = endpoint.memory(SIZE);
            SendBatch send = new SendBatch(1, 1).send(1);
            QueuePair early = endpoint.queuePair();
            assertState("receive in RESET", "is in RESET and takes no receives",
                    () -> endpoint.receive(1, sink, 0, SIZE));
            assertState("send in RESET", "is in RESET and cannot send", () -> early.post(send));
            early.modify(Transitions.toInit(settings));
            assertState("send in INIT", "is in INIT and cannot send", () -> early.post(send));
            endpoint.receive(1, sink, 0, SIZE);
            if (TestDevice.get().connectsByHand()) {
                early.modify(Transitions.toReadyToReceive(connection.right().address()));
                assertState("send in RTR", "is in RTR and cannot send", () -> early.post(send));
            }
        }
    }

    @Test
    void sharedReceives() throws Exception {
        assumeTrue(TestDevice.get().capabilities().sharedReceiveQueue(), "no shared receive queue");
        RcSettings settings = RcSettings.of(ApiVariant.preferred());
        assertArgument("of no requests", "at least one request", () -> domain.createSharedReceiveQueue(0, 1));
        assertArgument("of no SGEs", "at least one request", () -> domain.createSharedReceiveQueue(1, 0));
        try (SharedReceiveQueue shared = domain.createSharedReceiveQueue(DEPTH, 1);
             Endpoint endpoint = new Endpoint(settings.variant(), settings.queues(), domain, shared)) {
            endpoint.queuePair().modify(Transitions.toInit(settings));
            assertState("receive of its own", "takes its receives from shared receive queue",
                    () -> endpoint.receive(1, memory, 0, SIZE));
            assertArgument("negative limit", "is not within 0 to", () -> shared.armLimit(-1));
            assertArgument("limit beyond the queue", "is not within 0 to",
                    () -> shared.armLimit(shared.maxReceives() + 1));
            MemoryRegion foreign = connection.left().foreignMemory(SIZE).region();
            assertArgument("receive of another domain", "the batch is of protection domain",
                    () -> shared.post(new ReceiveBatch(1, 1).receive(1).sge(foreign, 0, 1)));
        }
    }

    @Test
    void portsAndGids() {
        RdmaDevice device = TestDevice.get().device();
        int ports = device.limits().ports();
        assertArgument("port 0", "has ports 1 to " + ports + ", not 0", () -> device.port(0));
        assertArgument("a port too many", "not " + (ports + 1), () -> device.port(ports + 1));
        assertArgument("negative index", "GID index -1 is negative", () -> device.gid(1, -1));
    }

    private static void assertArgument(String what, String message, ThrowingCallable call) {
        assertThatIllegalArgumentException().as(what).isThrownBy(call).withMessageContaining(message);
    }

    private static void assertState(String what, String message, ThrowingCallable call) {
        assertThatIllegalStateException().as(what).isThrownBy(call).withMessageContaining(message);
    }
}
