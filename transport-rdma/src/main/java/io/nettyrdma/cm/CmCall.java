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

import io.nettyrdma.verbs.VerbsException;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

import static io.nettyrdma.cm.CmState.*;

/**
 * The calls on an id: the states that allow each call, and the state that it leads to. librdmacm dereferences null
 * pointers if a call comes too early (resolving a route before the address, for example), so the state is checked
 * first.
 */
enum CmCall {
    BIND("rdma_bind_addr", BOUND, IDLE),
    LISTEN("rdma_listen", LISTENING, BOUND),
    RESOLVE_ADDRESS("rdma_resolve_addr", RESOLVING_ADDRESS, IDLE, BOUND),
    RESOLVE_ROUTE("rdma_resolve_route", RESOLVING_ROUTE, ADDRESS_RESOLVED),
    CONNECT("rdma_connect", CONNECTING, ROUTE_RESOLVED),
    ESTABLISH("rdma_establish", CONNECTED, RESPONDED),
    ACCEPT("rdma_accept", ACCEPTING, REQUESTED),
    REJECT("rdma_reject", REJECTED, REQUESTED, RESPONDED),
    DISCONNECT("rdma_disconnect", DISCONNECTING, ACCEPTING, CONNECTED, DISCONNECTED),
    NOTIFY("rdma_notify", null, ACCEPTING, CONNECTED),
    QUEUE_PAIR_ATTRIBUTES("rdma_init_qp_attr", null, ADDRESS_RESOLVED, RESOLVING_ROUTE, ROUTE_RESOLVED, CONNECTING,
            RESPONDED, CONNECTED, REQUESTED, ACCEPTING),
    SET_BEFORE_BIND("rdma_set_option", null, IDLE),
    SET_BEFORE_ROUTE("rdma_set_option", null, IDLE, BOUND, ADDRESS_RESOLVED),
    SET_BEFORE_CONNECT("rdma_set_option", null, IDLE, BOUND, ADDRESS_RESOLVED, ROUTE_RESOLVED, REQUESTED),
    MIGRATE("rdma_migrate_id", null, CmState.values());

    private final String function;
    private final CmState next;
    private final Set<CmState> allowed = EnumSet.noneOf(CmState.class);

    /** @param next the state after the call; {@code null} if the call does not change the state. */
    CmCall(String function, CmState next, CmState... allowed) {
        this.function = function;
        this.next = next;
        this.allowed.addAll(Set.of(allowed));
    }

    /** The C function. */
    String function() {
        return function;
    }

    /** Throws unless {@code state}, which is that of {@code id}, allows this call. */
    void check(Object id, CmState state) {
        if (!allowed.contains(state)) {
            throw new IllegalStateException(function + " was called for " + id + ", which is " + state
                    + "; it must be " + allowed);
        }
    }

    /** @param detail {@code null}: none. The text is made only for a failure. */
    void checkResult(int result, Object id, Supplier<String> detail) throws VerbsException {
        if (result < 0) {
            throw new VerbsException(function, detail == null ? id : id + " " + detail.get(), result);
        }
    }

    /** The state after this call succeeded in {@code state}. */
    CmState after(CmState state) {
        // Answering the peer's disconnect leaves the id in DISCONNECTED.
        return next == null || state == DISCONNECTED ? state : next;
    }
}
