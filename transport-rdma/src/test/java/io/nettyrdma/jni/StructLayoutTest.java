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
package io.nettyrdma.jni;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

class StructLayoutTest {

    private final StructLayout layout = new StructLayout("record");

    @Test
    void anEmptyRecordHasNoBytes() {
        assertThat(layout.size()).isZero();
    }

    @Test
    void fieldsFollowEachOther() {
        assertThat(layout.u64("a")).isZero();
        assertThat(layout.u32("b")).isEqualTo(8);
        assertThat(layout.u16("c")).isEqualTo(12);
        assertThat(layout.u8("d")).isEqualTo(14);
        assertThat(layout.bytes("e", 1)).isEqualTo(15);
        assertThat(layout.size()).isEqualTo(16);
    }

    @Test
    void everyNumberIsAlignedToItsOwnSize() {
        layout.u8("a");
        assertThat(layout.u16("b")).isEqualTo(2);
        layout.u8("c");
        assertThat(layout.u32("d")).isEqualTo(8);
        assertThat(layout.u64("e")).isEqualTo(16);
    }

    @Test
    void bytesNeedNoAlignment() {
        layout.u8("a");
        assertThat(layout.bytes("b", 6)).isEqualTo(1);
        assertThat(layout.u8("c")).isEqualTo(7);
    }

    @Test
    void endIsPaddedForArrays() {
        layout.u32("a");
        layout.u8("b");
        assertThat(layout.size()).isEqualTo(8);
    }

    @Test
    void innerRecordKeepsItsAlignmentAndPadding() {
        StructLayout inner = new StructLayout("inner");
        inner.u64("a");
        inner.u8("b");
        layout.u8("c");
        assertThat(layout.struct("d", inner)).isEqualTo(8);
        assertThat(layout.u8("e")).isEqualTo(24);
        assertThat(layout.size()).isEqualTo(32);
    }

    @Test
    void offsetsAreKeptByName() {
        layout.u8("a");
        layout.u16("b");
        assertThat(layout.name()).isEqualTo("record");
        assertThat(layout.offsets()).containsExactly(entry("a", 0), entry("b", 2));
    }

    @Test
    void aNameCannotBeUsedTwice() {
        layout.u8("a");
        assertThatIllegalArgumentException().isThrownBy(() -> layout.u64("a"))
                .withMessage("record.a is declared twice");
    }
}
