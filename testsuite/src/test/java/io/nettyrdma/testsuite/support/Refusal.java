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

/** Who refused a connection. iWARP's handshake has but one word for all of them, as TCP has. */
public enum Refusal {
    NO_SUCH_SERVICE(8),
    BY_PROGRAM(28);

    private static final int ECONNREFUSED = 111;

    private final int reason;

    Refusal(int reason) {
        this.reason = reason;
    }

    /** Status of the event. */
    public int status() {
        return isTold() ? reason : -ECONNREFUSED;
    }

    /** Whether the device under test tells one from the other. */
    public static boolean isTold() {
        return TestDevice.get().connectsByHand();
    }
}
