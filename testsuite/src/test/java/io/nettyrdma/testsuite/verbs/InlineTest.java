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
import io.nettyrdma.testsuite.support.EachVariant;
import io.nettyrdma.testsuite.support.PeerMemory;
import io.nettyrdma.testsuite.support.RcPair;
import io.nettyrdma.testsuite.support.RcSettings;
import io.nettyrdma.testsuite.support.TestDevice;
import io.nettyrdma.testsuite.support.TestMemory;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Inline data is copied by the post: its memory is free at once, and need not be registered. */
@Tag("device")
class InlineTest {

    private static final int DEPTH = 16;

    private final int size = Math.min(TestDevice.get().capabilities().maxInline(), 64);

    @BeforeEach
    void needsInline() {
        assumeTrue(size > 0, "no inline data");
    }

    @EachVariant
    void bufferCanBeOverwrittenAfterThePost(ApiVariant variant) throws Exception {
        try (RcPair pair = connect(variant, size)) {
            TestMemory source = pair.left().memory(size);
            PeerMemory sink = pair.right().memory(DEPTH * size);
            for (int i = 0; i < DEPTH; i++) {
                pair.right().receive(i, sink, i * size, size);
            }
            for (int i = 0; i < DEPTH; i++) {
                long id = i;
                source.put(0, filled((byte) (i + 1), size));
                pair.left().send(batch -> batch.send(id).sge(source.region(), 0, size).inline().signaled());
                source.put(0, filled((byte) -1, size));
            }
            pair.right().receives().awaitSuccess(DEPTH);
            for (int i = 0; i < DEPTH; i++) {
                sink.assertHolds(i * size, filled((byte) (i + 1), size));
            }
        }
    }

    @EachVariant
    void inlineWriteReadsUnregisteredMemory(ApiVariant variant) throws Exception {
        try (RcPair pair = connect(variant, size)) {
            PeerMemory target = pair.right().memory(size);
            // Deregistering leaves memory with an address but without a key.
            TestMemory unregistered = TestMemory.register(pair.left().domain(), size);
            long address = unregistered.address(0);
            unregistered.close();
            unregistered.put(0, filled((byte) 3, size));
            pair.left().send(batch -> batch.write(1, target.address(0), target.remoteKey())
                    .sge(address, size, 0).inline().signaled());
            pair.left().sends().awaitSuccess();
            target.assertWritten(0, filled((byte) 3, size));
        }
    }

    @EachVariant
    void severalSgesAreJoined(ApiVariant variant) throws Exception {
        assumeTrue(size >= 7 && TestDevice.get().capabilities().maxSendSge() >= 3,
                "less than 7 bytes of 3 SGEs inline");
        QueuePairConfig queues = new QueuePairConfig(QueuePairType.RC, DEPTH).withSge(3, 1).withInline(7);
        try (RcPair pair = new RcPair(RcSettings.of(variant).withQueues(queues))) {
            TestMemory source = pair.left().memory(10).put(0, new byte[] { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 });
            PeerMemory sink = pair.right().memory(7);
            pair.right().receive(1, sink, 0, 7);
            pair.left().send(batch -> batch.send(1).sge(source.region(), 8, 2).sge(source.region(), 0, 4)
                    .sge(source.region(), 6, 1).inline().signaled());
            pair.right().receives().awaitSuccess();
            assertThat(sink.get(0, 7)).containsExactly(8, 9, 0, 1, 2, 3, 6);
        }
    }

    @EachVariant
    void grantedInlineSizeFits(ApiVariant variant) throws Exception {
        int most = TestDevice.get().capabilities().maxInline();
        try (RcPair pair = connect(variant, most)) {
            assertThat(pair.left().queuePair().granted().maxInline()).isGreaterThanOrEqualTo(most);
            byte[] message = filled((byte) 9, most);
            TestMemory source = pair.left().memory(most).put(0, message);
            PeerMemory sink = pair.right().memory(most);
            pair.right().receive(1, sink, 0, most);
            pair.left().send(batch -> batch.send(1).sge(source.region(), 0, most).inline().signaled());
            assertThat(pair.right().receives().awaitSuccess().bytes()).isEqualTo(most);
            sink.assertHolds(0, message);
        }
    }

    private static RcPair connect(ApiVariant variant, int inline) throws Exception {
        return new RcPair(RcSettings.of(variant)
                .withQueues(new QueuePairConfig(QueuePairType.RC, DEPTH).withInline(inline)));
    }

    private static byte[] filled(byte value, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, value);
        return bytes;
    }
}
