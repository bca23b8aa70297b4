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

import io.netty.util.ReferenceCounted;

/** One message, and what its program does to it while the channel has it. Belongs to the event loop. */
class Outgoing {

    private final ReferenceCounted object;

    Outgoing(ReferenceCounted object) {
        this.object = object;
    }

    final ReferenceCounted object() {
        return object;
    }

    /** The write has returned. */
    void written() {
    }

    /** The promise has ended. */
    void ended(boolean isSuccess) {
    }
}
