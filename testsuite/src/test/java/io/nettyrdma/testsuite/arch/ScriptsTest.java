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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Every script for users answers {@code --help} and rejects an unknown option in one line. */
class ScriptsTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    private static final List<String> DIRECTORIES = List.of("bin", "microbench", "stress", "testsuite/lanes",
            "testsuite/lanes/uml", "testsuite/lanes/vm", "testsuite/softhca");

    /** The first programs of a guest; users do not run them. */
    private static final Set<String> OF_GUESTS = Set.of("init", "guest.sh");

    /** Programs that install, build or run something. */
    private static final List<String> TOOLS = List.of("mvn", "cmake", "make", "gcc", "cc", "java", "javac", "apt-get",
            "dnf", "qemu-system-x86_64", "npm", "node");

    private record Result(int status, String output, String errors) { }

    @TempDir
    private static Path directory;

    /** A tool that is called leaves its name here. */
    private static Path called;

    @BeforeAll
    static void makeTools() throws IOException {
        called = directory.resolve("called");
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String tool : TOOLS) {
            Path file = Files.writeString(tools.resolve(tool), "#!/bin/sh\necho $0 >> " + called + "\nexit 99\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @Test
    void scriptsAreFound() {
        assertThat(scripts()).contains("bin/test", "bin/echo", "microbench/echo", "stress/run",
                "testsuite/lanes/vm/boot.sh", "testsuite/lanes/uml/boot.sh", "testsuite/softhca/programs",
                "testsuite/lanes/run-tests");
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void helpIsAnsweredWithoutInstallingOrBuilding(String script) throws Exception {
        Result result = run(script, "--help");
        assertThat(result.status()).isZero();
        assertThat(result.output()).startsWith("usage: " + script);
        assertThat(result.errors()).isEmpty();
        assertThat(called).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void unknownOptionIsRefusedInOneLine(String script) throws Exception {
        Result result = run(script, "--no-such-option");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors()).contains("--no-such-option").endsWith(" --help\n");
        assertThat(result.errors().lines()).hasSize(1);
        assertThat(called).doesNotExist();
    }

    private static List<String> scripts() {
        return DIRECTORIES.stream().flatMap(ScriptsTest::executables).sorted().toList();
    }

    private static Stream<String> executables(String directory) {
        try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
            return files.filter(Files::isRegularFile).filter(Files::isExecutable)
                    .filter(file -> !OF_GUESTS.contains(file.getFileName().toString()))
                    .map(file -> ROOT.relativize(file).toString()).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs it outside the project's directory: a script finds its tree by itself. */
    private static Result run(String script, String option) throws Exception {
        Path output = directory.resolve("output");
        Path errors = directory.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(ROOT.resolve(script).toString(), option)
                .directory(directory.toFile())
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().merge("PATH", directory.resolve("tools").toString(), (old, tools) -> tools + ':' + old);
        int status = builder.start().waitFor();
        return new Result(status, Files.readString(output), Files.readString(errors));
    }
}
