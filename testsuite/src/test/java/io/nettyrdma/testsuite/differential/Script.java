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

import java.util.List;

/** Operations that one side runs in sequence, once, when its trigger fires. */
record Script(Trigger trigger, List<Operation> operations) {

    Script with(List<Operation> others) {
        return new Script(trigger, others);
    }

    /** Whether the loop runs it, so that only what its operations call themselves comes between them. */
    boolean isOnLoop() {
        return trigger.when() != Trigger.When.THREAD;
    }
}
