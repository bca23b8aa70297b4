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
package io.nettyrdma.io;

/** The completions that a loop waits for. */
interface Completions {

    /**
     * Handles what has completed.
     *
     * @return the number of handles that got something.
     */
    int poll(LoopContext context);

    /**
     * From now on a completion makes the completion channel readable. Completions already in the queue do not.
     *
     * @return whether that is so for all queues. Some devices have no completion channels.
     */
    boolean arm();

    /** How long to continue polling after a batch that was not empty. */
    long spinNanos();
}
