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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

class AbiLayoutTest {

    private Map<String, Integer> described;

    @BeforeEach
    void describe() {
        NativeLibrary.ensureShim();
        described = NativeLibrary.parse(LibraryNative.layout());
    }

    @Test
    void layoutMatchesTheLoadedLibrary() {
        assertThat(AbiLayout.verify(described)).isEmpty();
    }

    /** Java and the library are known to agree with each other; here both must agree with the header's drawing. */
    @Test
    void dataPathRecordsHaveTheDocumentedOffsets() {
        assertThat(described).containsEntry("nrdma_wc", 32).containsEntry("nrdma_wc.status", 24)
                .containsEntry("nrdma_sge", 16).containsEntry("nrdma_sge.lkey", 12)
                .containsEntry("nrdma_send_wr", 48).containsEntry("nrdma_send_wr.compare_add_or_ah", 32)
                .containsEntry("nrdma_recv_wr", 16).containsEntry("nrdma_recv_wr.num_sge", 8);
    }

    @Test
    void fieldMissingInTheLibraryIsNamed() {
        described.remove("nrdma_wc.status");
        assertThat(AbiLayout.verify(described))
                .containsExactly("nrdma_wc.status is 24 in Java and missing in the library");
    }

    @Test
    void movedFieldIsNamed() {
        described.put("nrdma_send_wr.imm", 16);
        assertThat(AbiLayout.verify(described))
                .containsExactly("nrdma_send_wr.imm is 12 in Java and 16 in the library");
    }

    @Test
    void recordOfDifferentSizeIsNamed() {
        described.put("nrdma_sge", 24);
        assertThat(AbiLayout.verify(described)).containsExactly("nrdma_sge is 16 in Java and 24 in the library");
    }

    @Test
    void fieldMissingInJavaIsNamed() {
        described.put("nrdma_wc.timestamp", 32);
        assertThat(AbiLayout.verify(described))
                .containsExactly("nrdma_wc.timestamp is 32 in the library and missing in Java");
    }

    @Test
    void renamedFieldIsNamedTwice() {
        described.put("nrdma_wc.state", described.remove("nrdma_wc.status"));
        assertThat(AbiLayout.verify(described)).hasSize(2)
                .anyMatch(text -> text.startsWith("nrdma_wc.status "))
                .anyMatch(text -> text.startsWith("nrdma_wc.state "));
    }

    @Test
    void comparisonLeavesItsInputUnchanged() {
        Map<String, Integer> before = Map.copyOf(described);
        AbiLayout.verify(described);
        assertThat(described).isEqualTo(before);
    }
}
