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

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Bits of {@code enum ibv_qp_attr_mask} and bytes of {@code struct nrdma_qp_attr}, as in their headers. */
class QueuePairAttributesTest {

    private static final int SIZE = 88;
    private static final Gid GID = new Gid(new byte[] { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 });

    private final QueuePairAttributes attributes = new QueuePairAttributes();

    @Test
    void nothingIsSetAtFirst() {
        assertThat(attributes.record.bytes(0, attributes.record.size())).isEqualTo(new byte[SIZE]);
    }

    @Test
    void everyAttributeSetsItsBitAndItsBytesOnly() {
        assertSets(1, to -> to.state(QueuePairState.SQD), bytes -> bytes.put(58, (byte) 4));
        assertSets(1 << 3, to -> to.access(MemoryAccess.REMOTE_READ, MemoryAccess.LOCAL_WRITE),
                bytes -> bytes.putInt(20, 5));
        assertSets(1 << 4, to -> to.partitionKeyIndex(0xfedc), bytes -> bytes.putShort(56, (short) 0xfedc));
        assertSets(1 << 5, to -> to.port(255), bytes -> bytes.put(63, (byte) 255));
        assertSets(1 << 6, to -> to.queueKey(0x80010000), bytes -> bytes.putInt(4, 0x80010000));
        assertSets(1 << 8, to -> to.pathMtu(1024), bytes -> bytes.put(59, (byte) 3));
        assertSets(1 << 9, to -> to.timeout(14), bytes -> bytes.put(64, (byte) 14));
        assertSets(1 << 10, to -> to.retryCount(6), bytes -> bytes.put(65, (byte) 6));
        assertSets(1 << 11, to -> to.rnrRetry(5), bytes -> bytes.put(66, (byte) 5));
        assertSets(1 << 12, to -> to.receivePsn(0xabcdef), bytes -> bytes.putInt(8, 0xabcdef));
        assertSets(1 << 13, to -> to.maxRdAtomic(200), bytes -> bytes.put(60, (byte) 200));
        assertSets(1 << 15, to -> to.minRnrTimer(12), bytes -> bytes.put(62, (byte) 12));
        assertSets(1 << 16, to -> to.sendPsn(0xfedcba), bytes -> bytes.putInt(12, 0xfedcba));
        assertSets(1 << 17, to -> to.maxDestRdAtomic(100), bytes -> bytes.put(61, (byte) 100));
        assertSets(1 << 20, to -> to.destination(0x123456), bytes -> bytes.putInt(16, 0x123456));
    }

    @Test
    void theAddressVectorIsWithinTheRecord() {
        assertSets(1 << 7, to -> to.addressVector(new AddressVector(GID, 0xfedc, 2, 3, 4, 5, 6)), bytes -> {
            for (int i = 0; i < 16; i++) {
                bytes.put(24 + i, (byte) (i + 1));
            }
            bytes.putShort(44, (short) 0xfedc).put(46, (byte) 3).put(47, (byte) 4).put(48, (byte) 5)
                    .put(49, (byte) 6).put(52, (byte) 1).put(53, (byte) 2);
        });
    }

    @Test
    void maskHasTheBitsOfAllAttributes() {
        attributes.state(QueuePairState.INIT).port(1).port(2).partitionKeyIndex(0);
        assertThat(attributes.mask()).isEqualTo(1 | 1 << 4 | 1 << 5);
        assertThat(attributes.has(QueuePairAttributes.STATE | QueuePairAttributes.PORT)).isTrue();
        assertThat(attributes.has(QueuePairAttributes.STATE | QueuePairAttributes.QKEY)).isFalse();
    }

    @Test
    void emptyAccessIsSet() {
        attributes.access(MemoryAccess.REMOTE_WRITE).access();
        assertThat(attributes.mask()).isEqualTo(1 << 3);
        assertThat(attributes.record.u32(20)).isZero();
    }

    @Test
    void attributesRoundTrip() {
        AddressVector vector = new AddressVector(GID, 1, 1);
        attributes.state(QueuePairState.RTR).minRnrTimer(31).destination(0xffffff).addressVector(vector);
        assertThat(attributes.state()).isEqualTo(QueuePairState.RTR);
        assertThat(attributes.minRnrTimer()).isEqualTo(31);
        assertThat(attributes.destination()).isEqualTo(0xffffff);
        assertThat(attributes.addressVector()).isEqualTo(vector);
    }

    @Test
    void outOfRangeAttributeIsNamed() {
        assertRange("port", 1, 255, attributes::port);
        assertRange("partitionKeyIndex", 0, 0xffff, attributes::partitionKeyIndex);
        assertRange("destination", 0, 0xffffff, attributes::destination);
        assertRange("receivePsn", 0, 0xffffff, attributes::receivePsn);
        assertRange("sendPsn", 0, 0xffffff, attributes::sendPsn);
        assertRange("maxRdAtomic", 0, 255, attributes::maxRdAtomic);
        assertRange("maxDestRdAtomic", 0, 255, attributes::maxDestRdAtomic);
        assertRange("minRnrTimer", 0, 31, attributes::minRnrTimer);
        assertRange("timeout", 0, 31, attributes::timeout);
        assertRange("retryCount", 0, 7, attributes::retryCount);
        assertRange("rnrRetry", 0, 7, attributes::rnrRetry);
    }

    @Test
    void pathMtuOutsideTheFiveIsRefused() {
        for (int bytes = 256; bytes <= 4096; bytes *= 2) {
            attributes.pathMtu(bytes);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> attributes.pathMtu(1500)).withMessageContaining("1500");
        assertThat(attributes.record.u8(59)).isEqualTo(5);
    }

    @Test
    void aRefusedAttributeIsNotSet() {
        assertThatIllegalArgumentException().isThrownBy(() -> attributes.timeout(32));
        assertThatIllegalArgumentException().isThrownBy(() -> attributes.pathMtu(0));
        assertThat(attributes.record.bytes(0, attributes.record.size())).isEqualTo(new byte[SIZE]);
    }

    private static void assertSets(int bit, UnaryOperator<QueuePairAttributes> set, Consumer<ByteBuffer> draw) {
        ByteBuffer expected = ByteBuffer.allocate(SIZE).order(ByteOrder.nativeOrder()).putInt(0, bit);
        draw.accept(expected);
        QueuePairAttributes changed = set.apply(new QueuePairAttributes());
        assertThat(changed.mask()).isEqualTo(bit);
        assertThat(changed.record.bytes(0, changed.record.size())).as("bit 0x%x", bit).isEqualTo(expected.array());
    }

    private static void assertRange(String name, int least, int most, IntFunction<QueuePairAttributes> setter) {
        setter.apply(least);
        setter.apply(most);
        for (int outside : new int[] { least - 1, most + 1, Integer.MIN_VALUE, Integer.MAX_VALUE }) {
            assertThatIllegalArgumentException().isThrownBy(() -> setter.apply(outside))
                    .withMessage(name + " is " + outside + ", not within " + least + " to " + most);
        }
    }
}
