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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.verbs.Gid;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class DatagramAddressTest {

    private static final Gid GID = gid(9);
    private static final DatagramAddress ADDRESS = new DatagramAddress(GID, 17, 0x12345678);

    private static Gid gid(int last) {
        byte[] raw = new byte[Gid.LENGTH];
        raw[0] = (byte) 0xfe;
        raw[1] = (byte) 0x80;
        raw[Gid.LENGTH - 1] = (byte) last;
        return new Gid(raw);
    }

    /** Also in the messages of exceptions, and in what a channel says of itself. */
    @Test
    void textDoesNotContainTheKey() {
        assertThat(ADDRESS).hasToString("rdma:[" + GID + "]:17");
        assertThat(ADDRESS.withQueueKey(0)).hasToString(ADDRESS.toString());
    }

    @Test
    void addressesWithDifferentKeysDiffer() {
        assertThat(ADDRESS.withQueueKey(1)).isNotEqualTo(ADDRESS);
        assertThat(ADDRESS.withQueueKey(1).isSameQueuePair(ADDRESS)).isTrue();
        assertThat(new DatagramAddress(GID, 17, 0x12345678)).isEqualTo(ADDRESS).hasSameHashCodeAs(ADDRESS);
    }

    /** Two of them are not known to be the same queue pair, and nothing can be sent there. */
    @Test
    void unknownSenderEqualsNoOtherAddress() {
        DatagramAddress unknown = DatagramAddress.unknown(17);
        assertThat(unknown.isUnknown()).isTrue();
        assertThat(unknown.isRecipient()).isFalse();
        assertThat(unknown.isAny()).isFalse();
        assertThat(unknown.isSameQueuePair(DatagramAddress.unknown(17))).isFalse();
        assertThat(unknown).hasToString("rdma:unknown:17").isEqualTo(DatagramAddress.unknown(17))
                .isNotEqualTo(DatagramAddress.any());
        assertThat(ADDRESS.isUnknown()).isFalse();
        assertThat(DatagramAddress.any().isUnknown()).isFalse();
    }

    @Test
    void encodedAddressRoundTrips() {
        ByteBuf bytes = Unpooled.buffer();
        ADDRESS.encode(bytes);
        assertThat(bytes.readableBytes()).isEqualTo(DatagramAddress.SIZE);
        assertThat(DatagramAddress.decode(bytes.duplicate())).isEqualTo(ADDRESS);
        assertThatIllegalArgumentException().isThrownBy(() -> DatagramAddress.decode(bytes.slice(0, 23)));
        bytes.release();
    }
}
