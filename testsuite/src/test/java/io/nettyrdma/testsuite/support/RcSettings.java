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

import io.nettyrdma.verbs.MemoryAccess;
import io.nettyrdma.verbs.QueuePairConfig;
import io.nettyrdma.verbs.QueuePairType;

import java.util.Set;

/**
 * How the queue pairs of a test are created and connected.
 *
 * @param access what the peer may do.
 * @param rnrRetry the number of retries when the peer has no receive posted; 7 means without limit.
 * @param retryCount the number of retries when the peer does not answer.
 */
public record RcSettings(ApiVariant variant, QueuePairConfig queues, Set<MemoryAccess> access, int rnrRetry,
                         int retryCount) {

    public static final int UNLIMITED = 7;
    private static final int DEPTH = 32;

    public static RcSettings of(ApiVariant variant) {
        return new RcSettings(variant, variant.of(new QueuePairConfig(QueuePairType.RC, DEPTH)),
                Set.of(TestMemory.ALL_ACCESS), UNLIMITED, 7);
    }

    public RcSettings withQueues(QueuePairConfig newQueues) {
        return new RcSettings(variant, variant.of(newQueues), access, rnrRetry, retryCount);
    }

    public RcSettings withAccess(MemoryAccess... newAccess) {
        return new RcSettings(variant, queues, Set.of(newAccess), rnrRetry, retryCount);
    }

    public RcSettings withRnrRetry(int count) {
        return new RcSettings(variant, queues, access, count, retryCount);
    }

    public RcSettings withRetryCount(int count) {
        return new RcSettings(variant, queues, access, rnrRetry, count);
    }
}
