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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class EfaFailuresTest {

    /** The statuses and codes of EFA's library and firmware, as docs/softhca.md lists them. */
    @ParameterizedTest
    @CsvSource({
        "FLUSHED, 1, CLOSED",
        "LOCAL_QUEUE_PAIR_OPERATION_ERROR, 2, LOCAL",
        "LOCAL_QUEUE_PAIR_OPERATION_ERROR, 4, LOCAL",
        "LOCAL_PROTECTION_ERROR, 5, LOCAL",
        "LOCAL_LENGTH_ERROR, 6, LOCAL",
        "REMOTE_ACCESS_ERROR, 7, ACCESS",
        "REMOTE_ABORTED, 8, ABORTED",
        "REMOTE_INVALID_RD_REQUEST, 9, NO_SUCH_QUEUE_PAIR",
        "RNR_RETRY_EXCEEDED, 10, NOT_READY",
        "REMOTE_INVALID_REQUEST, 11, TOO_LONG_FOR_PEER",
        "BAD_RESPONSE, 12, PROTOCOL",
        "RESPONSE_TIMEOUT, 13, UNRESPONSIVE",
        "REMOTE_OPERATION_ERROR, 14, NO_HANDLE_AT_PEER",
        "RESPONSE_TIMEOUT, 15, UNREACHABLE",
        "REMOTE_INVALID_REQUEST, 18, FEATURES",
        "GENERAL_ERROR, 99, LOCAL"
    })
    void aStatusHasAReason(WorkCompletionStatus status, int code, DatagramFailure failure) {
        assertThat(EfaFailures.of(status, code)).isEqualTo(failure);
    }
}
