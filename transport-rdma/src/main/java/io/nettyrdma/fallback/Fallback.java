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
package io.nettyrdma.fallback;

/**
 * A connection that is not made by RDMA.
 *
 * @param cause {@code null} if the reason says all.
 */
record Fallback(FallbackReason reason, Throwable cause) {

    /** Those of one peer follow each other in the log, so only what differs between them names its cause. */
    String text() {
        return reason == FallbackReason.FAILED || reason == FallbackReason.REFUSED ? textAndCause() : reason.text();
    }

    String textAndCause() {
        if (cause == null) {
            return reason.text();
        }
        // That of a channel that was closed has none.
        return reason.text() + ": " + (cause.getMessage() == null ? cause : cause.getMessage());
    }
}
