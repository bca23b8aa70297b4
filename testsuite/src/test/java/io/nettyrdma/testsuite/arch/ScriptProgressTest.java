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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The last line of scripts that take long, by {@code bin/lib/progress.sh}: on a terminal and nowhere else. */
class ScriptProgressTest {

    private static final Path PROGRESS = ProjectTree.directory("bin").resolve("lib/progress.sh");
    private static final String CLEAR = "\r\033[K";

    @TempDir
    private Path directory;
    private Path gate;

    @BeforeEach
    void makeScript() throws Exception {
        gate = directory.resolve("gate");
        assertThat(new ProcessBuilder("mkfifo", gate.toString()).start().waitFor()).isZero();
        // Waits until the test has seen what it waits for.
        Files.writeString(directory.resolve("some"), "set -euo pipefail\ncommand_name=bin/some\n. " + PROGRESS
                + "\nstart_progress a word\necho first\nread -r status < " + gate + "\necho last\nexit $status\n");
    }

    @Test
    void terminalHasALineUntilTheScriptPrintsMore() throws Exception {
        Process process = onTerminal();
        String before = readUntil(process.getInputStream(), " so far");
        open(0);
        assertThat(before + rest(process)).contains("first\r\n", "so far" + CLEAR + "last\r\n").endsWith("\n" + CLEAR);
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void timeThatIsLeftIsThatOfTheLastSuccess() throws Exception {
        Process failing = onTerminal();
        open(3);
        rest(failing);
        assertThat(failing.waitFor()).isEqualTo(3);
        assertThat(directory.resolve("cache")).doesNotExist();
        Process process = onTerminal();
        open(0);
        rest(process);
        process.waitFor();
        try (Stream<Path> times = Files.walk(directory.resolve("cache"))) {
            Files.writeString(times.filter(Files::isRegularFile).findFirst().orElseThrow(), "600\n");
        }
        process = onTerminal();
        readUntil(process.getInputStream(), " so far, about 9:");
        open(0);
        rest(process);
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void pipeHasTheOutputAlone() throws Exception {
        Process process = start("bash", directory.resolve("some").toString());
        open(0);
        assertThat(rest(process)).isEqualTo("first\nlast\n");
        assertThat(process.waitFor()).isZero();
    }

    private Process onTerminal() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script makes the terminal");
        return start("script", "-qec", "bash " + directory.resolve("some"), "/dev/null");
    }

    private Process start(String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        builder.environment().keySet().removeAll(Set.of("CI", "IN_PROGRESS"));
        return builder.start();
    }

    /** Lets the script go on. */
    private void open(int status) throws IOException {
        Files.writeString(gate, status + "\n");
    }

    private static String readUntil(InputStream in, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        for (int next = in.read(); next >= 0; next = in.read()) {
            read.append((char) next);
            if (read.indexOf(text) >= 0) {
                return read.toString();
            }
        }
        throw new AssertionError("the output has no '" + text + "': " + read);
    }

    private static String rest(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
