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
package io.nettyrdma.cm;

import org.junit.jupiter.api.Test;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import static io.nettyrdma.cm.CmState.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

class CmStateTest {

    /** Every event that leads to another state, except failures. */
    private static final Map<CmEventType, Map<CmState, CmState>> DRAWN = Map.of(
            CmEventType.ADDR_RESOLVED, Map.of(RESOLVING_ADDRESS, ADDRESS_RESOLVED),
            CmEventType.ROUTE_RESOLVED, Map.of(RESOLVING_ROUTE, ROUTE_RESOLVED),
            CmEventType.CONNECT_RESPONSE, Map.of(CONNECTING, RESPONDED),
            CmEventType.ESTABLISHED, Map.of(CONNECTING, CONNECTED, ACCEPTING, CONNECTED),
            CmEventType.DISCONNECTED, Map.of(ACCEPTING, DISCONNECTED, CONNECTED, DISCONNECTED,
                    DISCONNECTING, DISCONNECTED));

    @Test
    void onlyDocumentedEventsChangeTheState() {
        for (CmState state : CmState.values()) {
            for (CmEventType event : CmEventType.values()) {
                CmState expected = event.isFailure() ? FAILED
                        : DRAWN.getOrDefault(event, Map.of()).getOrDefault(state, state);
                assertThat(state.after(event)).as("%s after %s", state, event).isEqualTo(expected);
            }
        }
    }

    @Test
    void activeSideGoesFromIdleToConnected() {
        CmState state = IDLE;
        state = called(CmCall.RESOLVE_ADDRESS, state).after(CmEventType.ADDR_RESOLVED);
        state = called(CmCall.RESOLVE_ROUTE, state).after(CmEventType.ROUTE_RESOLVED);
        state = called(CmCall.CONNECT, state).after(CmEventType.CONNECT_RESPONSE);
        assertThat(called(CmCall.ESTABLISH, state)).isEqualTo(CONNECTED);
    }

    @Test
    void passiveSideGoesFromRequestToConnected() {
        assertThat(called(CmCall.LISTEN, called(CmCall.BIND, IDLE))).isEqualTo(LISTENING);
        assertThat(called(CmCall.ACCEPT, REQUESTED).after(CmEventType.ESTABLISHED)).isEqualTo(CONNECTED);
        assertThat(called(CmCall.REJECT, REQUESTED)).isEqualTo(REJECTED);
    }

    @Test
    void answeringADisconnectKeepsTheIdDisconnected() {
        assertThat(called(CmCall.DISCONNECT, CONNECTED)).isEqualTo(DISCONNECTING);
        assertThat(called(CmCall.DISCONNECT, CONNECTED.after(CmEventType.DISCONNECTED))).isEqualTo(DISCONNECTED);
    }

    @Test
    void aFailedIdCanOnlyMigrateAndClose() {
        for (CmCall call : CmCall.values()) {
            if (call == CmCall.MIGRATE) {
                assertThatNoException().isThrownBy(() -> call.check("id", FAILED));
            } else {
                assertThatIllegalStateException().isThrownBy(() -> call.check("id", FAILED));
            }
        }
    }

    /** librdmacm would dereference a null pointer for an id without a device. */
    @Test
    void operationWithoutDeviceIsRefused() {
        Set<CmState> deviceless = EnumSet.of(IDLE, BOUND, LISTENING, RESOLVING_ADDRESS);
        for (CmCall call : EnumSet.of(CmCall.RESOLVE_ROUTE, CmCall.CONNECT, CmCall.ESTABLISH, CmCall.ACCEPT,
                CmCall.DISCONNECT, CmCall.QUEUE_PAIR_ATTRIBUTES)) {
            for (CmState state : deviceless) {
                assertThatIllegalStateException().isThrownBy(() -> call.check("id", state));
            }
        }
    }

    @Test
    void refusalNamesCallIdStateAndCure() {
        assertThatIllegalStateException().isThrownBy(() -> CmCall.CONNECT.check("id 7", IDLE))
                .withMessage("rdma_connect was called for id 7, which is IDLE; it must be [ROUTE_RESOLVED]");
    }

    private static CmState called(CmCall call, CmState state) {
        call.check("id", state);
        return call.after(state);
    }
}
