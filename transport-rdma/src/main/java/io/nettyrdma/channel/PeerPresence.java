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
package io.nettyrdma.channel;

import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionStatus;

/**
 * What is known of the peer. That it has disconnected says nothing of the frames that it sent before: they may still
 * lie in the completion queue, its end of the stream among them. But when everything posted is flushed, what came
 * before lies before the first flushed completion.
 *
 * <pre>
 *             its first frame, or the
 *             connection manager
 *   EXPECTED ------------------------&gt; THERE ---DISCONNECTED---&gt; LEFT ---a flushed completion---&gt; GONE
 * </pre>
 */
enum PeerPresence {
    EXPECTED,
    THERE,
    LEFT,
    GONE;

    boolean hasLeft() {
        return this == LEFT || this == GONE;
    }

    /** After a completion was polled. */
    PeerPresence after(WorkCompletion completion) {
        return switch (this) {
            case EXPECTED -> completion.isSuccess() ? THERE : this;
            case LEFT -> completion.status() == WorkCompletionStatus.FLUSHED ? GONE : this;
            default -> this;
        };
    }
}
