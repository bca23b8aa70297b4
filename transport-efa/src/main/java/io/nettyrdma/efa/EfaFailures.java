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
package io.nettyrdma.efa;

import io.nettyrdma.datagram.DatagramFailure;
import io.nettyrdma.verbs.WorkCompletionStatus;

/** Why a datagram of EFA has failed. The firmware's codes distinguish failures for which verbs has one status. */
final class EfaFailures {

    private static final int UNREACHABLE_CODE = 15;
    private static final int FEATURES_CODE = 18;

    private EfaFailures() {
    }

    static DatagramFailure of(WorkCompletionStatus status, int code) {
        DatagramFailure failure = DatagramFailure.of(status);
        if (failure == DatagramFailure.UNRESPONSIVE && code == UNREACHABLE_CODE) {
            return DatagramFailure.UNREACHABLE;
        }
        return failure == DatagramFailure.TOO_LONG_FOR_PEER && code == FEATURES_CODE ? DatagramFailure.FEATURES
                : failure;
    }
}
