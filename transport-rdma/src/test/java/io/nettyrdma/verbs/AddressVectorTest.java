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

import io.nettyrdma.jni.NativeMemory;
import org.junit.jupiter.api.Test;

import java.util.function.IntFunction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class AddressVectorTest {

    private static final int SIZE = 32;
    private static final Gid GID = new Gid(new byte[] { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 });

    private final NativeMemory record = new NativeMemory(2 * SIZE);

    @Test
    void addressVectorRoundTrips() {
        assertComesBack(new AddressVector(GID, 0, 1, 0, 64, 0, 0));
        assertComesBack(new AddressVector(GID, 0xffff, 255, 255, 255, 255, 15));
        assertComesBack(new AddressVector(null, 0xabcd, 2, 3, 4, 5, 6));
    }

    @Test
    void everyFieldIsWrittenAtItsOffset() {
        new AddressVector(GID, 0xfedc, 2, 3, 4, 5, 6).write(record, SIZE);
        byte[] expected = new byte[2 * SIZE];
        System.arraycopy(GID.bytes(), 0, expected, SIZE, 16);
        NativeMemory drawn = new NativeMemory(2 * SIZE).putBytes(0, expected)
                .putU16(SIZE + 20, 0xfedc).putU8(SIZE + 22, 3).putU8(SIZE + 23, 4).putU8(SIZE + 24, 5)
                .putU8(SIZE + 25, 6).putU8(SIZE + 28, 1).putU8(SIZE + 29, 2);
        assertThat(record.bytes(0, 2 * SIZE)).isEqualTo(drawn.bytes(0, 2 * SIZE));
    }

    /** A record is reused; without a GID, the previous one must not count. */
    @Test
    void staleGidIsNotReadWithoutTheGlobalFlag() {
        new AddressVector(GID, 1, 1).write(record, 0);
        AddressVector byLid = new AddressVector(null, 7, 1, 0, 64, 0, 0);
        byLid.write(record, 0);
        assertThat(AddressVector.read(record, 0)).isEqualTo(byLid);
    }

    /** What a device reports for a queue pair without a peer. */
    @Test
    void emptyRecordIsValid() {
        assertThat(AddressVector.read(record, 0)).isEqualTo(new AddressVector(null, 0, 1, 0, 0, 0, 0));
    }

    @Test
    void theShortFormIsForRoce() {
        assertThat(new AddressVector(GID, 2, 3)).isEqualTo(new AddressVector(GID, 0, 2, 3, 64, 0, 0));
    }

    @Test
    void outOfRangeAttributeIsNamed() {
        assertRange("lid", 0, 0xffff, lid -> new AddressVector(GID, lid, 1, 0, 64, 0, 0));
        assertRange("port", 1, 255, port -> new AddressVector(GID, 0, port, 0, 64, 0, 0));
        assertRange("gidIndex", 0, 255, index -> new AddressVector(GID, 0, 1, index, 64, 0, 0));
        assertRange("hopLimit", 0, 255, limit -> new AddressVector(GID, 0, 1, 0, limit, 0, 0));
        assertRange("trafficClass", 0, 255, traffic -> new AddressVector(GID, 0, 1, 0, 64, traffic, 0));
        assertRange("serviceLevel", 0, 15, level -> new AddressVector(GID, 0, 1, 0, 64, 0, level));
    }

    private void assertComesBack(AddressVector vector) {
        vector.write(record, SIZE);
        assertThat(AddressVector.read(record, SIZE)).isEqualTo(vector);
        assertThat(record.bytes(0, SIZE)).isEqualTo(new byte[SIZE]);
    }

    private static void assertRange(String name, int least, int most, IntFunction<AddressVector> make) {
        make.apply(least);
        make.apply(most);
        for (int outside : new int[] { least - 1, most + 1 }) {
            assertThatIllegalArgumentException().isThrownBy(() -> make.apply(outside))
                    .withMessage(name + " is " + outside + ", not within " + least + " to " + most);
        }
    }
}
