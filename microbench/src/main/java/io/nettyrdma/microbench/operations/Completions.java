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
package io.nettyrdma.microbench.operations;

import io.nettyrdma.verbs.CompletionQueue;
import io.nettyrdma.verbs.CompletionQueueConfig;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.VerbsException;
import io.nettyrdma.verbs.WorkCompletion;

/** A completion queue of one thread, as event loops have. A completion that failed ends the program. */
final class Completions implements AutoCloseable {

    private final CompletionQueue queue;

    Completions(RdmaDevice device, int entries) throws VerbsException {
        queue = device.createCompletionQueue(new CompletionQueueConfig(entries).withSingleThreaded(true));
    }

    CompletionQueue queue() {
        return queue;
    }

    /** Returns the number of completions. */
    int poll() throws VerbsException {
        return queue.poll();
    }

    /** A completion of the last poll. */
    WorkCompletion get(int index) {
        WorkCompletion completion = queue.completion(index);
        if (!completion.isSuccess()) {
            throw new IllegalStateException(completion.toString());
        }
        return completion;
    }

    @Override
    public void close() throws VerbsException {
        queue.close();
    }
}
