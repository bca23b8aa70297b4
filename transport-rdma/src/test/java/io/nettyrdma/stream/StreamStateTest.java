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
package io.nettyrdma.stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class StreamStateTest {

    @ParameterizedTest
    @CsvSource({
        // state,     own FIN,     peer's FIN, connected, may receive
        "IDLE,        IDLE,        IDLE,       false,     false",
        "OFFERED,     OFFERED,     OFFERED,    false,     false",
        "OPEN,        OUTPUT_SHUT, INPUT_SHUT, true,      true",
        "OUTPUT_SHUT, OUTPUT_SHUT, SHUT,       true,      true",
        "INPUT_SHUT,  SHUT,        INPUT_SHUT, true,      false",
        "SHUT,        SHUT,        SHUT,       true,      false",
        "CLOSED,      CLOSED,      CLOSED,     false,     false" })
    void finsMoveTheStateForward(StreamState state, StreamState own, StreamState peers, boolean connected,
            boolean mayReceive) {
        assertThat(state.afterOwnFin()).isEqualTo(own);
        assertThat(state.afterPeersFin()).isEqualTo(peers);
        assertThat(state.isConnected()).isEqualTo(connected);
        assertThat(state.mayReceive()).isEqualTo(mayReceive);
    }
}
