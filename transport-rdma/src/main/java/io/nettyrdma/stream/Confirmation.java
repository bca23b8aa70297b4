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

/**
 * The peer's confirmation that it has everything up to FIN. Needed on iWARP, where a completion says only that this
 * host's TCP has the bytes. A PING is sent behind FIN, and the peer's transport answers with a PONG.
 *
 * <pre>
 *   UNASKED --PING behind FIN--&gt; ASKED --its PONG, or that of a later one--&gt; GIVEN
 * </pre>
 */
final class Confirmation {

    private enum State { UNASKED, ASKED, GIVEN }

    private State state = State.UNASKED;
    private long ping;

    boolean isAsked() {
        return state != State.UNASKED;
    }

    boolean isGiven() {
        return state == State.GIVEN;
    }

    /** @param payload the PING's; later PINGs have greater ones. */
    void pingSent(long payload) {
        ping = payload;
        state = State.ASKED;
    }

    void answered(long payload) {
        // The peer may answer only the newest of several PINGs.
        if (state == State.ASKED && payload >= ping) {
            state = State.GIVEN;
        }
    }
}
