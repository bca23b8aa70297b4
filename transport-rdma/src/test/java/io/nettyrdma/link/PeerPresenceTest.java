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
package io.nettyrdma.link;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Flushed receives and DISCONNECTED come in either order, and only both together mean that nothing more will come. */
class PeerPresenceTest {

    @ParameterizedTest
    @CsvSource({
        "EXPECTED, THERE,   FLUSHED, LEFT",
        "THERE,    THERE,   FLUSHED, LEFT",
        "FLUSHED,  FLUSHED, FLUSHED, GONE",
        "LEFT,     LEFT,    GONE,    LEFT",
        "GONE,     GONE,    GONE,    GONE",
    })
    void eventsMoveThePresenceForward(PeerPresence from, PeerPresence confirmed, PeerPresence flushed,
            PeerPresence left) {
        assertThat(from.confirmed()).isEqualTo(confirmed);
        assertThat(from.flushed()).isEqualTo(flushed);
        assertThat(from.left()).isEqualTo(left);
        assertThat(from.hasLeft()).isEqualTo(from == PeerPresence.LEFT || from == PeerPresence.GONE);
    }
}
