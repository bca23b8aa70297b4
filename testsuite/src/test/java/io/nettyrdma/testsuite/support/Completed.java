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

import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionOpcode;
import io.nettyrdma.verbs.WorkCompletionStatus;

/**
 * A copy of a {@link WorkCompletion}, which is valid only until the next poll. For a failed completion {@code opcode}
 * and {@code immediate} are {@code null}, and all components after {@code queuePair} are undefined.
 */
public record Completed(long id, WorkCompletionStatus status, int queuePair, WorkCompletionOpcode opcode, int bytes,
                        Integer immediate, int sourceQueuePair, int sourceLid, Gid sourceGid,
                        boolean globalRoutingHeader) {

    static Completed of(WorkCompletion completion) {
        boolean success = completion.isSuccess();
        return new Completed(completion.workRequestId(), completion.status(), completion.queuePairNumber(),
                success ? completion.opcode() : null, success ? completion.byteLength() : 0,
                completion.isSuccess() && completion.hasImmediate() ? completion.immediate() : null,
                completion.sourceQueuePair(), completion.sourceLid(), completion.sourceGid(),
                completion.hasGlobalRoutingHeader());
    }
}
