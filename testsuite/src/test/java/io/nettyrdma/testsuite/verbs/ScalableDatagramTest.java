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
import io.nettyrdma.testsuite.support.Completed;
import io.nettyrdma.testsuite.support.Endpoint;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.EfaLimits;
import io.nettyrdma.verbs.Fallbacks;
import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.PostException;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.WorkCompletionOpcode;
import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** SRD, the transport of EFA: messages, writes and reads to any peer, each of which ends by itself. */
@Tag("device")
class ScalableDatagramTest {

    private static final int QUEUE_KEY = 0x1234567;
    private static final int DEPTH = 64;
    private static final byte[] MESSAGE = "in any order, once".getBytes();
    private static final int EINVAL = 22;
    private static final int UNKNOWN_SENDER = 0xffff;
    private static final int RDMA_READ = 1;
    private static final int SENDER_GIDS = 1 << 2;
    private static final int RDMA_WRITE = 1 << 3;

    @BeforeEach
    void needsEfa() {
        assumeTrue(TestDevice.get().capabilities().efa() != null, "not an EFA device");
    }

    private static Endpoint endpoint() throws Exception {
        return endpoint(ApiVariant.preferred());
    }

    private static Endpoint endpoint(ApiVariant variant) throws Exception {
        Endpoint endpoint = new Endpoint(variant,
                variant.of(new QueuePairConfig(QueuePairType.SRD, DEPTH).withSignalAll(true)));
        endpoint.activateDatagrams(QUEUE_KEY);
        return endpoint;
    }

    private static AddressHandle wayToItself(Endpoint from) throws Exception {
        return from.own(from.domain().createAddressHandle(TestDevice.get().wayTo(TestDevice.get().gid(), 0)));
    }

    private static void assumeCapability(int bit, String what) {
        EfaLimits limits = TestDevice.get().capabilities().efa();
        assumeTrue((limits.capabilities() & bit) != 0, "the device has no " + what);
    }

    /** Without a GRH, and with the number of the sender's address in place of a LID. */
    @Test
    void aMessageArrivesWithItsSender() throws Exception {
        try (Endpoint sender = endpoint(); Endpoint receiver = endpoint()) {
            TestMemory source = sender.memory(64, MemoryAccess.LOCAL_WRITE).put(0, MESSAGE);
            TestMemory sink = receiver.memory(64, MemoryAccess.LOCAL_WRITE);
            receiver.receive(1, sink, 0, 64);
            AddressHandle there = wayToItself(sender);
            AddressHandle back = wayToItself(receiver);
            sender.send(batch -> batch.sendWithImmediate(2, 0x01020304)
                    .to(there, receiver.queuePair().number(), QUEUE_KEY)
                    .sge(source.region(), 0, MESSAGE.length).signaled());
            Completed received = receiver.receives().awaitSuccess();
            assertThat(received.bytes()).isEqualTo(MESSAGE.length);
            assertThat(received.immediate()).isEqualTo(0x01020304);
            assertThat(received.sourceQueuePair()).isEqualTo(sender.queuePair().number());
            assertThat(received.globalRoutingHeader()).isFalse();
            assertThat(sink.get(0, MESSAGE.length)).isEqualTo(MESSAGE);
            assertThat(received.sourceLid()).isEqualTo(back.number()).isNotEqualTo(UNKNOWN_SENDER);
            assertThat(received.sourceGid()).isNull();
            assertThat(sender.sends().awaitSuccess().id()).isEqualTo(2);
        }
    }

    @Test
    void anUnknownSenderIsNamedByItsGid() throws Exception {
        DeviceCapabilities capabilities = TestDevice.get().capabilities();
        assertThat(capabilities.senderGids()).isEqualTo(capabilities.extendedCompletionQueue()
                && (capabilities.efa().capabilities() & SENDER_GIDS) != 0 && Fallbacks.SENDER_GIDS.isAllowed());
        Gid expected = capabilities.senderGids() ? TestDevice.get().gid() : null;
        try (Endpoint receiver = endpoint()) {
            assertThat(receiver.receives().queue().hasSenderGids()).isEqualTo(capabilities.senderGids());
            assertThat(sendersOfTwo(receiver)).containsExactly(expected, expected);
        }
    }

    @Test
    void unknownSenderIsUnnamedWithoutGids() throws Exception {
        String before = System.setProperty(Fallbacks.SENDER_GIDS.property(), "false");
        try (RdmaDevice another = RdmaDevice.open(TestDevice.get().device().name()); Endpoint receiver = endpoint()) {
            assertThat(another.capabilities().senderGids()).isFalse();
            assertThat(receiver.receives().queue().hasSenderGids()).isFalse();
            assertThat(sendersOfTwo(receiver)).containsExactly(null, null);
        } finally {
            if (before == null) {
                System.clearProperty(Fallbacks.SENDER_GIDS.property());
            } else {
                System.setProperty(Fallbacks.SENDER_GIDS.property(), before);
            }
        }
    }

    @Test
    void classicCompletionQueueReportsNoGids() throws Exception {
        try (Endpoint receiver = endpoint(ApiVariant.CLASSIC_CQ_EXTENDED_QP)) {
            assertThat(receiver.receives().queue().hasSenderGids()).isFalse();
            assertThat(sendersOfTwo(receiver)).containsExactly(null, null);
        }
    }

    /** Two messages to a receiver that has no address handle, polled together. Returns what GIDs they came with. */
    private static List<Gid> sendersOfTwo(Endpoint receiver) throws Exception {
        try (Endpoint sender = endpoint()) {
            TestMemory source = sender.memory(64, MemoryAccess.LOCAL_WRITE).put(0, MESSAGE);
            TestMemory sink = receiver.memory(128, MemoryAccess.LOCAL_WRITE);
            AddressHandle there = wayToItself(sender);
            receiver.receive(1, sink, 0, 64);
            receiver.receive(2, sink, 64, 64);
            sender.send(batch -> {
                for (int i = 1; i <= 2; i++) {
                    batch.send(i).to(there, receiver.queuePair().number(), QUEUE_KEY)
                            .sge(source.region(), 0, MESSAGE.length).signaled();
                }
            });
            sender.sends().awaitSuccess(2);
            List<Completed> received = receiver.receives().awaitSuccess(2);
            assertThat(received).allSatisfy(each -> {
                assertThat(each.sourceLid()).isEqualTo(UNKNOWN_SENDER);
                assertThat(each.sourceQueuePair()).isEqualTo(sender.queuePair().number());
            });
            return received.stream().map(Completed::sourceGid).toList();
        }
    }

    @Test
    void manyDatagramsArriveOnceInAnyOrder() throws Exception {
        try (Endpoint sender = endpoint(); Endpoint receiver = endpoint()) {
            TestMemory source = sender.memory(DEPTH, MemoryAccess.LOCAL_WRITE);
            TestMemory sink = receiver.memory(DEPTH, MemoryAccess.LOCAL_WRITE);
            AddressHandle there = wayToItself(sender);
            for (int i = 0; i < DEPTH; i++) {
                source.put(i, new byte[] { (byte) i });
                receiver.receive(i, sink, i, 1);
            }
            sender.send(batch -> {
                for (int i = 0; i < DEPTH; i++) {
                    batch.send(i).to(there, receiver.queuePair().number(), QUEUE_KEY)
                            .sge(source.region(), i, 1).signaled();
                }
            });
            Set<Byte> seen = new HashSet<>();
            receiver.receives().awaitSuccess(DEPTH).forEach(each -> seen.add(sink.get((int) each.id(), 1)[0]));
            assertThat(seen).hasSize(DEPTH);
            assertThat(sender.sends().awaitSuccess(DEPTH)).extracting(Completed::id).doesNotHaveDuplicates();
        }
    }

    @Test
    void immediateArrivesAfterItsBytes() throws Exception {
        assumeCapability(RDMA_WRITE, "writes");
        try (Endpoint sender = endpoint(); Endpoint receiver = endpoint()) {
            int length = 1 << 20;
            TestMemory source = sender.memory(length, MemoryAccess.LOCAL_WRITE);
            source.put(length - MESSAGE.length, MESSAGE);
            TestMemory target = receiver.memory(length, MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_WRITE);
            receiver.receive(1, receiver.memory(64, MemoryAccess.LOCAL_WRITE), 0, 64);
            AddressHandle there = wayToItself(sender);
            wayToItself(receiver);
            sender.send(batch -> batch.writeWithImmediate(2, target.address(0), target.remoteKey(), 7)
                    .to(there, receiver.queuePair().number(), QUEUE_KEY)
                    .sge(source.region(), 0, length).signaled());
            Completed received = receiver.receives().awaitSuccess();
            assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE);
            assertThat(received.immediate()).isEqualTo(7);
            assertThat(received.bytes()).isEqualTo(length);
            assertThat(target.get(length - MESSAGE.length, MESSAGE.length)).isEqualTo(MESSAGE);
            sender.sends().awaitSuccess();
        }
    }

    @Test
    void readReturnsTheBytes() throws Exception {
        assumeCapability(RDMA_READ, "reads");
        try (Endpoint reader = endpoint(); Endpoint owner = endpoint()) {
            TestMemory source = owner.memory(64, MemoryAccess.LOCAL_WRITE, MemoryAccess.REMOTE_READ).put(0, MESSAGE);
            TestMemory sink = reader.memory(64, MemoryAccess.LOCAL_WRITE);
            AddressHandle there = wayToItself(reader);
            wayToItself(owner);
            reader.send(batch -> batch.read(3, source.address(0), source.remoteKey())
                    .to(there, owner.queuePair().number(), QUEUE_KEY)
                    .sge(sink.region(), 0, MESSAGE.length).signaled());
            assertThat(reader.sends().awaitSuccess().id()).isEqualTo(3);
            assertThat(sink.get(0, MESSAGE.length)).isEqualTo(MESSAGE);
        }
    }

    /** The functions of operations that the queue pair was not created with are NULL, and nothing may call them. */
    @Test
    void writeIsRefusedIfTheDeviceHasNone() throws Exception {
        EfaLimits limits = TestDevice.get().capabilities().efa();
        assumeTrue((limits.capabilities() & RDMA_WRITE) == 0, "the device has writes");
        try (Endpoint sender = endpoint()) {
            TestMemory source = sender.memory(64, MemoryAccess.LOCAL_WRITE);
            AddressHandle there = wayToItself(sender);
            assertThatExceptionOfType(PostException.class).isThrownBy(() -> sender.send(batch ->
                    batch.write(1, source.address(0), source.remoteKey())
                            .to(there, sender.queuePair().number(), QUEUE_KEY)
                            .sge(source.region(), 0, 1).signaled()))
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(EINVAL));
        }
    }

    /** The queue pair goes on: an error belongs to one request. */
    @Test
    void anErrorFailsItsRequestAlone() throws Exception {
        try (Endpoint sender = endpoint(); Endpoint receiver = endpoint()) {
            TestMemory source = sender.memory(64, MemoryAccess.LOCAL_WRITE).put(0, MESSAGE);
            TestMemory sink = receiver.memory(64, MemoryAccess.LOCAL_WRITE);
            AddressHandle there = wayToItself(sender);
            sender.send(batch -> batch.send(1).to(there, receiver.queuePair().number(), QUEUE_KEY + 1)
                    .sge(source.region(), 0, 1).signaled());
            Completed failed = sender.sends().await();
            assertThat(failed.id()).isEqualTo(1);
            assertThat(failed.status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
            receiver.receive(1, sink, 0, 64);
            sender.send(batch -> batch.send(2).to(there, receiver.queuePair().number(), QUEUE_KEY)
                    .sge(source.region(), 0, MESSAGE.length).signaled());
            receiver.receives().awaitSuccess();
            sender.sends().awaitSuccess();
        }
    }
}
