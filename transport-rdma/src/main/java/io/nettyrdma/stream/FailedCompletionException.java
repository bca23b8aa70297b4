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
package io.nettyrdma.stream;

import io.nettyrdma.verbs.WorkCompletion;
import io.nettyrdma.verbs.WorkCompletionStatus;
import io.nettyrdma.verbs.WorkRequestId;

import java.io.IOException;

/** A work request failed, and with it the connection. */
public final class FailedCompletionException extends IOException {

    private static final long serialVersionUID = 1L;

    private final WorkCompletionStatus status;

    FailedCompletionException(WorkRequestId.Kind kind, WorkCompletion completion) {
        super(name(kind) + " failed: " + completion);
        status = completion.status();
    }

    private static String name(WorkRequestId.Kind kind) {
        return switch (kind) {
        case SEND -> "a send";
        case RECEIVE -> "a receive";
        case WRITE -> "a write to the peer's memory";
        case READ -> "a read of the peer's memory, or an atomic operation on it,";
        case MARKER -> "a marker";
        };
    }

    public WorkCompletionStatus status() {
        return status;
    }
}
