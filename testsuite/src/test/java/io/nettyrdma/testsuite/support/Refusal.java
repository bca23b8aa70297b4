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

import java.util.List;

/**
 * What refused a connection. iWARP's handshake does not distinguish, as TCP's does not. A driver reports ECONNREFUSED
 * for either, or ECONNRESET, as siw does (siw_proc_mpareply, siw_cm.c).
 */
public enum Refusal {
    NO_SUCH_SERVICE(8),
    BY_PROGRAM(28);

    private static final int ECONNRESET = 104;
    private static final int ECONNREFUSED = 111;

    private final int reason;

    Refusal(int reason) {
        this.reason = reason;
    }

    /** The statuses that the event may have. */
    public List<Integer> statuses() {
        return isReported() ? List.of(reason) : List.of(-ECONNREFUSED, -ECONNRESET);
    }

    /** Whether an event with that status shows which of the two refused. */
    public static boolean isReported(int status) {
        return isReported() || status == -ECONNRESET;
    }

    private static boolean isReported() {
        return TestDevice.get().connectsByHand();
    }
}
