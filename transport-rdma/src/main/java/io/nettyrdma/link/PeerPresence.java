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

/**
 * The state of the peer. DISCONNECTED says nothing about the frames that the peer sent before: they may still be in
 * the completion queue, FIN among them. But when everything posted is flushed, the completions of these frames precede
 * the first flushed one. On iWARP the end of the connection flushes, and DISCONNECTED may follow later. If nothing is
 * flushed within a second, and everything that had completed has been polled, nothing was posted.
 *
 * <pre>
 *             its first frame, or the
 *             connection manager
 *   EXPECTED ------------------------&gt; THERE ---DISCONNECTED---&gt; LEFT ---a flushed completion---&gt; GONE
 *      |                                 |                          or a second         ^
 *      +-------------------------- a flushed completion ----&gt; FLUSHED ---DISCONNECTED---+
 * </pre>
 */
enum PeerPresence {
    EXPECTED,
    THERE,
    FLUSHED,
    LEFT,
    GONE;

    /** After a flushed completion. */
    PeerPresence flushed() {
        return hasLeft() ? GONE : FLUSHED;
    }

    /** After a frame, or the connection manager, has confirmed the peer. */
    PeerPresence confirmed() {
        return this == EXPECTED ? THERE : this;
    }

    /** After DISCONNECTED. */
    PeerPresence left() {
        return this == FLUSHED || this == GONE ? GONE : LEFT;
    }

    /** Whether DISCONNECTED has come. */
    boolean hasLeft() {
        return this == LEFT || this == GONE;
    }
}
