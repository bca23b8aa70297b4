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
package io.nettyrdma.program;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class ProgressTest {

    private final ByteArrayOutputStream screen = new ByteArrayOutputStream();

    @Test
    void remainingTimeFollowsFromTheShareThatIsDone() {
        assertThat(Progress.line("bin/some", 30, 0)).isEqualTo("bin/some: 0:30 so far");
        assertThat(Progress.line("bin/some", 30, 0.25)).isEqualTo("bin/some: 0:30 so far, about 1:30 left");
        assertThat(Progress.line("bin/some", 61, 1)).isEqualTo("bin/some: 1:01 so far, about 0:00 left");
    }

    @Test
    void outputRemovesTheLineFirst() throws IOException {
        PrintStream terminal = new PrintStream(screen, true, StandardCharsets.UTF_8);
        Progress progress = new Progress("bin/some", terminal);
        try (OutputStream out = progress.new Cleared(terminal)) {
            out.write("a\n".getBytes(StandardCharsets.UTF_8));
            progress.draw();
            out.write("b\n".getBytes(StandardCharsets.UTF_8));
            progress.draw();
            out.write('c');
        }
        assertThat(screen.toString(StandardCharsets.UTF_8))
                .matches("a\n\r\033\\[Kbin/some: 0:0\\d so far\r\033\\[Kb\n"
                        + "\r\033\\[Kbin/some: 0:0\\d so far\r\033\\[Kc");
    }

    @Test
    void pipeHasNothingOfIt() {
        PrintStream before = System.out;
        try (Progress progress = new Progress("bin/some", null)) {
            progress.done(1, 2);
            assertThat(System.out).isSameAs(before);
        }
        assertThat(System.out).isSameAs(before);
    }
}
