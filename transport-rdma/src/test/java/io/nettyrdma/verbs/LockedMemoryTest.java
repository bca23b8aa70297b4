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

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

class LockedMemoryTest {

    /** A shell inherits our limit. */
    @Test
    void limitEqualsUlimitOfAShell() throws IOException, InterruptedException {
        Process shell = new ProcessBuilder("sh", "-c", "ulimit -S -l").redirectErrorStream(true).start();
        String kibibytes = new String(shell.getInputStream().readAllBytes(), US_ASCII).trim();
        assertThat(shell.waitFor(1, TimeUnit.MINUTES)).isTrue();
        if ("unlimited".equals(kibibytes)) {
            assertThat(LockedMemory.limitBytes()).isEqualTo(LockedMemory.UNLIMITED);
            assertThat(LockedMemory.describeLimit()).isEqualTo("unlimited");
        } else {
            assertThat(LockedMemory.limitBytes() >> 10).isEqualTo(Long.parseLong(kibibytes));
            assertThat(LockedMemory.describeLimit()).isEqualTo(kibibytes + " KiB");
        }
    }
}
