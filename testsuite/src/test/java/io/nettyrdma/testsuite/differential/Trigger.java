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
package io.nettyrdma.testsuite.differential;

/**
 * When a script runs.
 *
 * @param argument received bytes, or the number of a message or of a signal, depending on {@link #when}.
 */
record Trigger(When when, int argument) {

    /** The moments that a pipeline can observe. */
    enum When {
        /** In {@code channelActive}. */
        ACTIVE,
        /** In the {@code channelRead} that reaches this number of bytes. */
        BYTES,
        /** In the first {@code channelReadComplete} after this number of bytes. */
        READ_COMPLETE,
        /** In the listener of a message's promise, successful or not. */
        WRITTEN,
        /** In the first {@code channelWritabilityChanged}. */
        WRITABILITY,
        /** In {@code userEventTriggered} for a signal. */
        EVENT,
        /** In a task of the loop. */
        TASK,
        /** On a thread that is not the loop's. */
        THREAD,
        /** In {@code userEventTriggered} for the peer's half close. */
        INPUT_SHUTDOWN,
        /** In {@code channelInactive}. */
        INACTIVE;

        private boolean hasArgument() {
            return this == BYTES || this == READ_COMPLETE || this == WRITTEN || this == EVENT || this == TASK
                    || this == THREAD;
        }
    }

    @Override
    public String toString() {
        return when.hasArgument() ? when + " " + argument : when.toString();
    }
}
