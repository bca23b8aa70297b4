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
package io.nettyrdma.info;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The jar needs nothing but a JVM: no class path, no repository, no option. */
class RdmaInfoJarTest {

    private static final Path JAR = Path.of(System.getProperty("rdma-info.jar"));

    @TempDir
    private Path elsewhere;

    private record Result(int status, String output, String errors) {
    }

    @Test
    void jarRunsStandalone() throws Exception {
        Path copy = Files.copy(JAR, elsewhere.resolve("copy.jar"));
        Result result = run("-jar", copy.toString());
        assertThat(result.output()).contains("version:", "device source:", "java:");
        assertThat(result.status()).isEqualTo(result.output().contains("\nmissing: ") ? 1 : 0);
        assertThat(result.errors()).as("no warning of the JVM").isEmpty();
    }

    @Test
    void theSoftwareDeviceIsInTheJar() throws Exception {
        Result result = run("-Dio.nettyrdma.device=software", "-jar", JAR.toString(), "--json");
        assertThat(result.output()).contains("\"softhca0\"");
        assertThat(result.status()).isZero();
    }

    @Test
    void softwareDeviceIsUsableByTheCheck() throws Exception {
        Result result = run("-Dio.nettyrdma.device=software", "-jar", JAR.toString(), "--check");
        assertThat(result.output()).contains("ok        libraries: ", "ok        devices: the software device",
                "\nproblems: 0, ");
        assertThat(result.status()).isZero();
    }

    private Result run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(arguments));
        Path errors = elsewhere.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(command).directory(elsewhere.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("SOFTHCA_QUIET", "1");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output, Files.readString(errors));
    }
}
