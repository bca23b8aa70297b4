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

import io.nettyrdma.verbs.Gid;
import io.nettyrdma.verbs.WorkCompletion;

import java.nio.ByteBuffer;

/**
 * Finds the sender of a datagram: by the header in front of it, or by the number of the sender's address handle. A
 * header is
 *
 * <pre>
 *   of IPv6 and InfiniBand:  0 | 6... flow | 4 | length, ... | 8 | source 16 | 24 | destination 16 | 40
 *   of IPv4:                 0 | undefined              | 20 | 45... | 32 | source 4 | 36 | destination 4 | 40
 * </pre>
 *
 * A number is that of a handle of the channel. If it has none for the sender, the completion has the GID, where the
 * device can say it. A sender that is not certain is not guessed: it is {@link DatagramAddress#isUnknown}.
 */
final class DatagramSenders {

    private static final int IPV4_AT = 20;
    private static final int IPV4_SOURCE_AT = 32;
    private static final int SOURCE_AT = 8;
    private static final int IPV4_MAPPED_AT = 10;
    private static final int IPV4_BYTES = 4;
    private static final int VERSION_SHIFT = 4;
    private static final int IPV6 = 6;

    private final PeerHandles peers;
    /** Whether completions name senders by the numbers of handles; else headers do. */
    private final boolean numbered;

    DatagramSenders(PeerHandles peers, boolean numbered) {
        this.peers = peers;
        this.numbered = numbered;
    }

    /**
     * The sender; with its queue key if that is known.
     *
     * @param at where the receive begins in its memory.
     */
    DatagramAddress of(WorkCompletion completion, ByteBuffer memory, int at) {
        Gid gid = numbered ? peers.sender(completion) : inHeader(memory, at);
        int number = completion.sourceQueuePair();
        return gid == null || gid.isZero() || number == 0 ? DatagramAddress.unknown(number)
                : peers.address(gid, number);
    }

    /** {@code null} if it is no header that we know. */
    private static Gid inHeader(ByteBuffer memory, int at) {
        byte[] raw = new byte[Gid.LENGTH];
        if ((memory.get(at) & 0xff) >>> VERSION_SHIFT == IPV6) {
            memory.get(at + SOURCE_AT, raw);
        } else if ((memory.get(at + IPV4_AT) & 0xff) >>> VERSION_SHIFT == IPV4_BYTES) {
            raw[IPV4_MAPPED_AT] = -1;
            raw[IPV4_MAPPED_AT + 1] = -1;
            memory.get(at + IPV4_SOURCE_AT, raw, Gid.LENGTH - IPV4_BYTES, IPV4_BYTES);
        } else {
            return null;
        }
        return new Gid(raw);
    }
}
