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

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;

/** No JDK for musl is in reach: these texts are those of the loader of musl 1.2.3 for the two libraries of the jar. */
class MuslTest {

    @ParameterizedTest
    @ValueSource(strings = {
        "/tmp/libnetty_transport_rdma_x86_64.so: Error relocating /tmp/libnetty_transport_rdma_x86_64.so: "
            + "__snprintf_chk: symbol not found",
        "/tmp/libsofthca_x86_64.so: Error loading shared library ld-linux-x86-64.so.2: No such file or directory "
            + "(needed by /tmp/libsofthca_x86_64.so)"
    })
    void muslIsNamed(String text) throws IOException {
        String cure = "; the C library of this system is musl, and it needs glibc: use a system with glibc";
        try (LibraryFile library = LibraryFile.software(LibraryFile.class.getClassLoader())) {
            assertThat(LoadFailure.cure(library, text)).isEqualTo(cure);
        }
        assertThat(LoadFailure.cureOfEpoll(new UnsatisfiedLinkError(text),
                LoadFailure.class.getModule())).isEqualTo(cure);
    }
}
