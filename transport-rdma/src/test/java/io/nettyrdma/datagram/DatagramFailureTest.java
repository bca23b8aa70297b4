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
package io.nettyrdma.datagram;

import io.nettyrdma.verbs.WorkCompletionStatus;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

class DatagramFailureTest {

    @ParameterizedTest
    @CsvSource({
        "FLUSHED, CLOSED",
        "LOCAL_QUEUE_PAIR_OPERATION_ERROR, LOCAL",
        "LOCAL_PROTECTION_ERROR, LOCAL",
        "LOCAL_LENGTH_ERROR, LOCAL",
        "REMOTE_ACCESS_ERROR, ACCESS",
        "REMOTE_ABORTED, ABORTED",
        "REMOTE_INVALID_RD_REQUEST, NO_SUCH_QUEUE_PAIR",
        "RNR_RETRY_EXCEEDED, NOT_READY",
        "REMOTE_INVALID_REQUEST, TOO_LONG_FOR_PEER",
        "BAD_RESPONSE, PROTOCOL",
        "RESPONSE_TIMEOUT, UNRESPONSIVE",
        "TRANSPORT_RETRY_EXCEEDED, UNRESPONSIVE",
        "REMOTE_OPERATION_ERROR, NO_HANDLE_AT_PEER",
        "GENERAL_ERROR, LOCAL"
    })
    void everyStatusHasAFailure(WorkCompletionStatus status, DatagramFailure failure) {
        assertThat(DatagramFailure.of(status)).isEqualTo(failure);
    }

    @ParameterizedTest
    @EnumSource
    void everyFailureHasAMeaning(DatagramFailure failure) {
        assertThat(failure.meaning()).isNotBlank();
    }
}
