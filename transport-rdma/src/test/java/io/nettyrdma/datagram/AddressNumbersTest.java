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
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AddressNumbersTest {

    private static final Gid ONE = gid(1);
    private static final Gid OTHER = gid(2);

    private final AddressNumbers numbers = new AddressNumbers();

    private static Gid gid(int last) {
        byte[] raw = new byte[Gid.LENGTH];
        raw[Gid.LENGTH - 1] = (byte) last;
        return new Gid(raw);
    }

    /** Several channels have handles for a GID. */
    @Test
    void aNumberLastsAsLongAsItsLastHandle() {
        numbers.add(5, ONE);
        numbers.add(5, ONE);
        numbers.remove(5, ONE);
        assertThat(numbers.gid(5)).isEqualTo(ONE);
        numbers.remove(5, ONE);
        assertThat(numbers.gid(5)).isNull();
    }

    /** A late removal of the old does not remove the new. */
    @Test
    void aDeviceMayGiveANumberToAnother() {
        numbers.add(5, ONE);
        numbers.add(5, OTHER);
        assertThat(numbers.gid(5)).isEqualTo(OTHER);
        numbers.remove(5, ONE);
        assertThat(numbers.gid(5)).isEqualTo(OTHER);
        numbers.remove(5, OTHER);
        assertThat(numbers.gid(5)).isNull();
        numbers.remove(5, OTHER);
    }
}
