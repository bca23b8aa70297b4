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

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Computes the layout of one record of the C header {@code abi/nrdma_abi.h}. Fields are declared in the order of the
 * header and get naturally aligned offsets, as the C compiler assigns them. Offsets are returned as {@code int}s, so
 * that the JIT treats a {@code static final} offset as a constant; the names stay here for {@link AbiLayout#verify}.
 */
final class StructLayout {

    private final String name;
    private final Map<String, Integer> offsets = new LinkedHashMap<>();
    private int end;
    private int alignment = 1;

    StructLayout(String name) {
        this.name = name;
    }

    int u8(String field) {
        return append(field, 1, 1);
    }

    int u16(String field) {
        return append(field, 2, 2);
    }

    int u32(String field) {
        return append(field, 4, 4);
    }

    int u64(String field) {
        return append(field, 8, 8);
    }

    int bytes(String field, int length) {
        return append(field, length, 1);
    }

    /** A nested record. */
    int struct(String field, StructLayout layout) {
        return append(field, layout.size(), layout.alignment);
    }

    /** Size of the record in bytes, including the padding at its end. */
    int size() {
        return align(end, alignment);
    }

    String name() {
        return name;
    }

    Map<String, Integer> offsets() {
        return offsets;
    }

    private int append(String field, int size, int fieldAlignment) {
        int offset = align(end, fieldAlignment);
        end = offset + size;
        alignment = Math.max(alignment, fieldAlignment);
        if (offsets.put(field, offset) != null) {
            throw new IllegalArgumentException(name + '.' + field + " is declared twice");
        }
        return offset;
    }

    private static int align(int offset, int alignment) {
        return (offset + alignment - 1) & -alignment;
    }
}
