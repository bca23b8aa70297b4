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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * How the scripts start Java programs, in a copy of theirs with a JDK and a Maven that only tell how they were called.
 */
class ProgramsTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();
    private static final List<String> CLASS_PATHS = List.of("transport-rdma/target/rdma-info.classpath",
            "example-echo/target/echo.classpath", "testsuite/target/lane.classpath");

    @TempDir
    private Path directory;
    private Path tree;
    private Path jdk;
    private Path tools;
    private final List<String> wrapper = new ArrayList<>();

    private record Result(int status, List<String> output, String errors) {

        /** What the program would get. */
        List<String> words(String main) {
            return output.subList(output.indexOf(main) + 1, output.size());
        }
    }

    @BeforeEach
    void copyScripts() throws Exception {
        tree = directory.resolve("tree");
        try (Stream<Path> files = Files.walk(ROOT.resolve("bin"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = tree.resolve(ROOT.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
        Files.delete(tree.resolve("bin/setup"));
        tool(tree.resolve("bin/setup"), "true");
        jdk = directory.resolve("jdk");
        tool(jdk.resolve("bin/java"), "printf '%s\\n' \"$@\"");
        tool(jdk.resolve("bin/javac"), "echo javac 17");
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
        tools = directory.resolve("tools");
        // What a build leaves: see `prepare`.
        tool(tools.resolve("mvn"), "echo mvn in \"$PWD\": \"$@\" >> " + directory.resolve("built") + "; for f in "
                + String.join(" ", CLASS_PATHS) + "; do mkdir -p \"${f%/*}\"; echo \"$PWD/bin\" > \"$f\"; done");
    }

    @Test
    void theScriptOfRdmaInfoBuildsNoTests() throws Exception {
        assertThat(run("bin/rdma-info", "--json").words("io.nettyrdma.info.RdmaInfo")).containsExactly("--json");
        assertThat(built()).singleElement().asString().contains(" -pl transport-rdma -am").doesNotContain("testsuite");
        assertThat(run("bin/rdma-info").status()).isZero();
        assertThat(built()).as("it is built once").hasSize(1);
    }

    @Test
    void rdmaInfoShowsWhatProgramsGet() throws Exception {
        assertThat(run("bin/rdma-info").output()).doesNotContain("-Dio.nettyrdma.device=any");
        assertThat(run("bin/echo").output()).contains("-Dio.nettyrdma.device=any");
    }

    @Test
    void aTreeThatCannotBeWrittenToIsBuiltInACopy() throws Exception {
        mountReadOnly();
        assertThat(run("bin/rdma-info").words("io.nettyrdma.info.RdmaInfo")).isEmpty();
        assertThat(built()).singleElement().asString().startsWith("mvn in " + directory.resolve("cache"));
        assertThat(run("bin/rdma-info").status()).isZero();
        assertThat(built()).as("the copy stays").hasSize(1);
        assertThat(tree.resolve("transport-rdma")).doesNotExist();
    }

    @Test
    void aBuiltTreeMayBeReadOnly() throws Exception {
        assertThat(run("bin/echo").status()).isZero();
        mountReadOnly();
        assertThat(run("bin/echo").status()).isZero();
        assertThat(built()).hasSize(1);
    }

    @Test
    void aValueMayFollowAnEqualsSign() throws Exception {
        assertThat(run("bin/echo", "server", "--size=128", "--count", "5").words("io.nettyrdma.example.echo.Echo"))
                .containsExactly("server", "--size", "128", "--count", "5");
        assertThat(run("bin/file-transfer", "--out=/a=b").words("io.nettyrdma.example.file.FileTransfer"))
                .containsExactly("--out", "/a=b");
    }

    @Test
    void aWrongJavaHomeIsNotIgnored() throws Exception {
        assertThat(run("bin/echo").status()).isZero();
        Files.delete(jdk.resolve("release"));
        Result result = run("bin/echo");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.errors()).isEqualTo("bin/echo: JAVA_HOME=" + jdk + " has no java of release 17 or newer: "
                + "correct it, or unset it\n");
    }

    @Test
    void whatOnlyRunsNeedsNoCompiler() throws Exception {
        assertThat(run("bin/echo").status()).isZero();
        Files.delete(jdk.resolve("bin/javac"));
        assertThat(run("bin/echo").status()).isZero();
    }

    @Test
    void theSoakBuildsUnlessItIsToldNotToWhereverTheWordStands() throws Exception {
        Result result = run("bin/soak", "--no-build", "--minutes", "1");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.errors()).contains("is missing: run it without --no-build");
        assertThat(run("bin/soak", "--minutes", "1").status()).isZero();
        assertThat(built()).hasSize(1);
        assertThat(run("bin/soak", "--minutes", "1", "--no-build").words("io.nettyrdma.testsuite.soak.Soak"))
                .containsExactly("--minutes", "1");
        assertThat(built()).hasSize(1);
    }

    private List<String> built() throws IOException {
        return Files.readAllLines(directory.resolve("built"));
    }

    private static void tool(Path file, String command) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + command + '\n');
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** In a namespace of its own: root may write wherever the mode says it may not. */
    private void mountReadOnly() throws Exception {
        wrapper.addAll(List.of("unshare", "root".equals(System.getProperty("user.name")) ? "-m" : "-Urm", "bash", "-c",
                "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"", tree.toString()));
        assumeTrue(start("true").waitFor() == 0, "this user may not mount");
    }

    private Result run(String script, String... words) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(tree.resolve(script).toString());
        command.addAll(List.of(words));
        Process process = start(command.toArray(String[]::new));
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.lines().toList(), Files.readString(directory.resolve("errors")));
    }

    private Process start(String... words) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
                .redirectError(directory.resolve("errors").toFile());
        builder.environment().merge("PATH", tools.toString(), (old, added) -> added + ':' + old);
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        return builder.start();
    }
}
