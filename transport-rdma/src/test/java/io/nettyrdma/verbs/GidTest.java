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
package io.nettyrdma.verbs;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.UnknownHostException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class GidTest {

    private static final byte[] LINK_LOCAL = {
            (byte) 0xfe, (byte) 0x80, 0, 0, 0, 0, 0, 0, 2, 0, 0, (byte) 0xff, (byte) 0xfe, 0, 0x12, 0x34 };
    private static final byte[] MAPPED = {
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, (byte) 192, 0, 2, (byte) 200 };

    @Test
    void anIpv6AddressIsWrittenInFull() {
        assertThat(new Gid(LINK_LOCAL)).hasToString("fe80:0000:0000:0000:0200:00ff:fe00:1234");
    }

    @Test
    void mappedIpv4AddressIsWrittenAsIpv4() {
        assertThat(new Gid(MAPPED)).hasToString("::ffff:192.0.2.200");
    }

    @Test
    void gidConvertsToAnInetAddress() throws UnknownHostException {
        assertThat(new Gid(MAPPED).toAddress()).isEqualTo(InetAddress.getByName("192.0.2.200"));
        assertThat(new Gid(LINK_LOCAL).toAddress().getAddress()).isEqualTo(LINK_LOCAL);
    }

    @Test
    void anEmptyEntryIsZero() {
        Gid zero = new Gid(new byte[16]);
        assertThat(zero.isZero()).isTrue();
        assertThat(zero).hasToString("0000:0000:0000:0000:0000:0000:0000:0000");
        assertThat(new Gid(MAPPED).isZero()).isFalse();
    }

    @Test
    void equalBytesAreEqual() {
        Gid gid = new Gid(LINK_LOCAL);
        assertThat(gid).isEqualTo(new Gid(LINK_LOCAL.clone())).hasSameHashCodeAs(new Gid(LINK_LOCAL.clone()))
                .isNotEqualTo(new Gid(MAPPED)).isNotEqualTo(gid.toString());
    }

    @Test
    void bytesAreCopied() {
        byte[] given = MAPPED.clone();
        Gid gid = new Gid(given);
        given[15] = 1;
        gid.bytes()[14] = 1;
        assertThat(gid.bytes()).isEqualTo(MAPPED);
    }

    @Test
    void otherLengthsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Gid(new byte[4]))
                .withMessage("a GID has 16 bytes, not 4");
    }

    @Test
    void typesHaveTheNumbersOfTheRecord() {
        assertThat(Gid.Type.of(0)).isEqualTo(Gid.Type.INFINIBAND);
        assertThat(Gid.Type.of(1)).isEqualTo(Gid.Type.ROCE_V1);
        assertThat(Gid.Type.of(2)).isEqualTo(Gid.Type.ROCE_V2);
        assertThat(Gid.Type.of(3)).isEqualTo(Gid.Type.UNKNOWN);
        assertThat(Gid.Type.of(0xffffffff)).isEqualTo(Gid.Type.UNKNOWN);
    }
}
