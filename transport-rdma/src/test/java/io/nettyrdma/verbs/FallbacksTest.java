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
package io.nettyrdma.verbs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.EnumMap;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class FallbacksTest {

    private final Map<Fallbacks, String> before = new EnumMap<>(Fallbacks.class);

    @BeforeEach
    void clear() {
        for (Fallbacks each : Fallbacks.values()) {
            before.put(each, System.clearProperty(each.property()));
        }
    }

    @AfterEach
    void restore() {
        before.forEach((each, value) -> {
            if (value == null) {
                System.clearProperty(each.property());
            } else {
                System.setProperty(each.property(), value);
            }
        });
    }

    @Test
    void capabilitiesAreUsedUnlessDisabled() {
        for (Fallbacks each : Fallbacks.values()) {
            assertThat(each.isAllowed()).as("%s", each).isTrue();
            System.setProperty(each.property(), "false");
            assertThat(each.isAllowed()).as("%s", each).isFalse();
            System.setProperty(each.property(), "true");
            assertThat(each.isAllowed()).as("%s", each).isTrue();
        }
    }

    @Test
    void propertiesHaveTheDocumentedNames() {
        assertThat(Fallbacks.values()).extracting(Fallbacks::property).containsExactly(
                "io.nettyrdma.verbs.extendedCompletionQueue", "io.nettyrdma.verbs.singleThreadedQueue",
                "io.nettyrdma.verbs.senderGids", "io.nettyrdma.verbs.completionEvents",
                "io.nettyrdma.verbs.extendedQueuePair",
                "io.nettyrdma.verbs.sharedReceiveQueue", "io.nettyrdma.verbs.relaxedOrdering",
                "io.nettyrdma.verbs.unsignaledSends", "io.nettyrdma.verbs.nonBlockingConnect",
                "io.nettyrdma.verbs.confirmedDelivery", "io.nettyrdma.verbs.acceptingSideFirst",
                "io.nettyrdma.verbs.localReads", "io.nettyrdma.verbs.inline");
    }

    @Test
    void disabledExtendedQueuesFallBackToClassic() {
        assertThat(new CompletionQueueConfig(1).extended()).isTrue();
        assertThat(new QueuePairConfig(QueuePairType.RC, 1).extended()).isTrue();
        System.setProperty(Fallbacks.EXTENDED_COMPLETION_QUEUE.property(), "false");
        assertThat(new CompletionQueueConfig(1).extended()).isFalse();
        assertThat(new QueuePairConfig(QueuePairType.RC, 1).extended()).isTrue();
        System.setProperty(Fallbacks.EXTENDED_QUEUE_PAIR.property(), "false");
        assertThat(new QueuePairConfig(QueuePairType.RC, 1).extended()).isFalse();
    }
}
