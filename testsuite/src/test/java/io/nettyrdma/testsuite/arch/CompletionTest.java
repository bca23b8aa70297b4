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
package io.nettyrdma.testsuite.arch;

import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code bin/lib/completion.bash} proposes for the last of some words. */
class CompletionTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    @ParameterizedTest
    @CsvSource({
            "bin/echo --tr,            --transport",
            "bin/echo --transport e,   efa epoll",
            "bin/echo --transport = n, nio",
            "bin/soak --h,             --help --hours",
            "bin/soak --device so,     software",
            "bin/soak --hours 1,       ''",
            "bin/rdma-info --,         --help --check --json",
            "microbench/report --q,    --quick" })
    void optionsAndValuesAreThoseOfTheHelp(String words, String proposed) throws Exception {
        Process process = new ProcessBuilder("bash", "-c", ". bin/lib/completion.bash; COMP_WORDS=(" + words
                + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); complete -p \"${COMP_WORDS[0]}\" > /dev/null || exit; "
                + "_nettyrdma_complete \"${COMP_WORDS[0]}\"; echo \"${COMPREPLY[*]}\"")
                .directory(ROOT.toFile()).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim())
                .isEqualTo(proposed);
        assertThat(process.waitFor()).isZero();
    }
}
