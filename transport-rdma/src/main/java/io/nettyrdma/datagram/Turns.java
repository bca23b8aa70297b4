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

import java.util.ArrayDeque;

/**
 * The recipients for whom something waits, in the order in which they are served: one datagram each, then the next.
 * Belongs to the event loop.
 */
final class Turns {

    private final ArrayDeque<RemoteQueuePair> recipients = new ArrayDeque<>();

    boolean isEmpty() {
        return recipients.isEmpty();
    }

    /** Something waits for the recipient, which has a handle. */
    void add(RemoteQueuePair recipient) {
        if (recipient.inTurn(true)) {
            recipients.add(recipient);
        }
    }

    /**
     * The datagram of the first recipient that may have one more in flight; {@code null} if none may. Each is asked at
     * most once. One for whom nothing waits any more, because it was refused meanwhile, leaves.
     *
     * @param free entries of the send queue.
     */
    OutgoingDatagram next(int free) {
        for (int i = recipients.size(); i > 0; i--) {
            RemoteQueuePair recipient = recipients.remove();
            OutgoingDatagram next = recipient.mayTake(free) ? recipient.next() : null;
            if (recipient.hasWaiting()) {
                recipients.add(recipient);
            } else {
                recipient.inTurn(false);
            }
            if (next != null) {
                return next;
            }
        }
        return null;
    }

    void clear() {
        recipients.clear();
    }
}
