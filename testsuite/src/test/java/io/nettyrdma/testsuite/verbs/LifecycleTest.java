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

import io.nettyrdma.testsuite.support.Closer;
import io.nettyrdma.testsuite.support.OneProcess;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.AddressHandle;
import io.nettyrdma.verbs.AddressVector;
import io.nettyrdma.verbs.CompletionChannel;
import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.MemoryRegion;
import io.nettyrdma.verbs.ProtectionDomain;
import io.nettyrdma.verbs.QueuePair;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.ReceiveBatch;
import io.nettyrdma.verbs.SendBatch;
import io.nettyrdma.verbs.SharedReceiveQueue;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.VerbsObject;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Children are closed before parents, each object once, and no object is used after that. Uses one object of each kind
 * that the device supports; otherwise {@code shared} and {@code way} are {@code null}.
 */
@Tag("device")
@OneProcess("it has no peer")
class LifecycleTest {

    private static final CompletionQueueConfig QUEUE = new CompletionQueueConfig(16);
    private static final QueuePairConfig PAIR = new QueuePairConfig(QueuePairType.RC, 4);
    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(64);

    private final Closer closer = new Closer();
    private RdmaDevice device;
    private CompletionChannel channel;
    private CompletionQueue queue;
    private ProtectionDomain domain;
    private MemoryRegion region;
    private SharedReceiveQueue shared;
    private AddressHandle way;
    private QueuePair pair;

    @BeforeEach
    void open() throws Exception {
        TestDevice chosen = TestDevice.get();
        assumeTrue(chosen.capabilities().completionEvents(), "no completion events");
        device = closer.add(RdmaDevice.open(chosen.device().name()));
        channel = closer.add(device.createCompletionChannel());
        queue = closer.add(device.createCompletionQueue(QUEUE, channel));
        domain = closer.add(device.createProtectionDomain());
        region = closer.add(domain.register(MEMORY, TestMemory.ALL_ACCESS));
        if (chosen.capabilities().sharedReceiveQueue()) {
            shared = closer.add(domain.createSharedReceiveQueue(4, 1));
        }
        if (chosen.device().limits().addressHandles() > 0) {
            way = closer.add(domain.createAddressHandle(chosen.wayTo(chosen.gid(), chosen.attributes().lid())));
        }
        pair = closer.add(shared == null ? domain.createQueuePair(PAIR, queue, queue)
                : domain.createQueuePair(PAIR, queue, queue, shared));
    }

    /** The existing objects, children before parents. */
    private List<VerbsObject> all() {
        return Stream.of(pair, way, shared, region, domain, queue, channel, device).filter(Objects::nonNull).toList();
    }

    /** Closing an object twice does nothing, which this also tests. */
    @AfterEach
    void close() throws Exception {
        closer.close();
    }

    @Test
    void aParentWithOpenChildrenNamesThemAndStaysOpen() throws Exception {
        assertKept(channel, queue);
        assertKept(queue, pair);
        if (shared != null) {
            assertKept(shared, pair);
            assertKept(domain, shared);
        }
        if (way != null) {
            assertKept(domain, way);
        }
        assertKept(domain, region, pair);
        assertKept(device, channel, queue, domain);

        assertThat(queue.poll()).isZero();
        queue.arm(false);
        assertThat(channel.poll(each -> { })).isZero();
        assertThat(pair.query().state()).isEqualTo(pair.state());
        domain.register(MEMORY, MemoryAccess.LOCAL_WRITE).close();
        assertThat(device.port(1).gidTableLength()).isPositive();
    }

    @Test
    void aParentCanBeClosedAfterItsChildren() throws Exception {
        for (VerbsObject each : all()) {
            assertThat(each.isOpen()).isTrue();
            each.close();
            assertThat(each.isOpen()).isFalse();
        }
    }

    @Test
    void secondCloseHasNoEffect() throws Exception {
        for (VerbsObject each : all()) {
            each.close();
            each.close();
        }
    }

    @Test
    void closedObjectRefusesEveryCall() throws Exception {
        closer.close();
        SendBatch sends = new SendBatch(1, 1);
        ReceiveBatch receives = new ReceiveBatch(1, 1).receive(1).sge(1, 1, 1);
        assertClosed("queue pair 0x", () -> pair.post(sends.clear().send(1)), () -> pair.post(receives),
                () -> pair.query(), () -> pair.toError(), () -> pair.handle());
        if (shared != null) {
            assertClosed("shared receive queue #", () -> shared.post(receives), () -> shared.armLimit(1),
                    () -> shared.limit());
        }
        if (way != null) {
            assertClosed("address handle to ", () -> sends.clear().send(1).to(way, 1, 1));
        }
        assertClosed("memory region #", () -> region.localKey(), () -> region.remoteKey(),
                () -> sends.clear().send(1).sge(region, 0, 1),
                () -> receives.clear().receive(1).sge(region, 0, 1));
        assertClosed("completion queue #", () -> queue.poll(), () -> queue.arm(false));
        assertClosed("completion channel #", () -> channel.fd(), () -> channel.poll(each -> { }));
        assertClosed("device ", () -> device.port(1), () -> device.gid(1, 0), () -> device.gids(1),
                () -> device.asyncEvents().fd(), () -> device.asyncEvents().poll(event -> { }));
    }

    @Test
    void closedParentRefusesNewChildren() throws Exception {
        closer.close();
        AddressVector anyway = TestDevice.get().wayTo(TestDevice.get().gid(), 0);
        assertClosed("device ", () -> device.createProtectionDomain(), () -> device.createCompletionChannel(),
                () -> device.createCompletionQueue(QUEUE), () -> device.createCompletionQueue(QUEUE, channel));
        assertClosed("protection domain #", () -> domain.register(MEMORY), () -> domain.createSharedReceiveQueue(1, 1),
                () -> domain.createAddressHandle(anyway), () -> domain.createQueuePair(PAIR, queue, queue));
    }

    @Test
    void oneClosedParentRefusesTheChild() throws Exception {
        CompletionQueue other = device.createCompletionQueue(QUEUE);
        other.close();
        assertClosed("completion queue #", () -> domain.createQueuePair(PAIR, queue, other),
                () -> domain.createQueuePair(PAIR, other, queue));
        pair.close();
        if (shared != null) {
            shared.close();
            assertClosed("shared receive queue #", () -> domain.createQueuePair(PAIR, queue, queue, shared));
        }
        // A child whose creation failed does not count as a child.
        queue.close();
    }

    @Test
    void failedCreationAddsNoChild() throws Exception {
        QueuePairConfig greedy = PAIR.withDepth(Integer.MAX_VALUE, 1);
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> domain.createQueuePair(greedy, queue, queue))
                .withMessageContaining("ibv_create_qp").withMessageContaining("of 2147483647 sends")
                .satisfies(e -> assertThat(e.call()).isEqualTo("ibv_create_qp"));
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> device.createCompletionQueue(new CompletionQueueConfig(Integer.MAX_VALUE)))
                .withMessageContaining("ibv_create_cq").withMessageContaining("2147483647 entries");
        aParentCanBeClosedAfterItsChildren();
    }

    @Test
    void parentsOfTwoDevicesAreRefused() throws Exception {
        try (ProtectionDomain elsewhere = TestDevice.get().device().createProtectionDomain()) {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> elsewhere.createQueuePair(PAIR, queue, queue))
                    .withMessageContaining("belongs to another device");
        }
    }

    private static void assertKept(VerbsObject parent, VerbsObject... children) {
        assertThatIllegalStateException().isThrownBy(parent::close)
                .withMessageStartingWith(parent + " cannot be closed: still open are ")
                .satisfies(e -> {
                    for (VerbsObject child : children) {
                        assertThat(e).hasMessageContaining(child.toString());
                    }
                });
        assertThat(parent.isOpen()).isTrue();
    }

    private static void assertClosed(String who, ThrowingCallable... calls) {
        for (int i = 0; i < calls.length; i++) {
            assertThatIllegalStateException().as("call %d of a closed %s", i, who).isThrownBy(calls[i])
                    .withMessageStartingWith(who).withMessageEndingWith(" is closed");
        }
    }
}
