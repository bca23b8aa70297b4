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
package io.nettyrdma.top;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The jar shows a process with traffic on the software device. */
class RdmaTopJarTest {

    private static final Path JAR = Path.of(System.getProperty("rdma-top.jar"));
    private static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    private Path elsewhere;

    private record Result(int status, String output, String errors) {
    }

    @Test
    void jarShowsAProcessWithTraffic() throws Exception {
        Process program = startEcho();
        try {
            String pid = Long.toString(program.pid());
            Result listed = run("-jar", JAR.toString());
            assertThat(listed.output()).contains(pid + ' ' + EchoingProgram.class.getName() + '\n');
            assertThat(listed.status()).isZero();

            Result shown = run("-jar", JAR.toString(), pid, "--once");
            assertThat(shown.errors()).isEmpty();
            assertThat(shown.status()).isZero();
            assertThat(shown.output()).startsWith("process      " + pid + ' ' + EchoingProgram.class.getName() + '\n')
                    .contains("connections  2 open, 0 opening, 0 draining, 0 departing; 1 listeners",
                            "since begin  1 connected, 1 accepted, 0 failed", "registered with softhca0\n")
                    .doesNotContain("\033");
            assertThat(messages("out ", shown)).isPositive();
            assertThat(messages("in ", shown)).isPositive();
            assertThat(shown.output().split("loop thread")[1].lines().skip(1)).hasSize(2)
                    .allMatch(line -> line.contains("EventLoopGroup"));
        } finally {
            program.getOutputStream().close();
            assertThat(program.waitFor()).isZero();
        }
    }

    @Test
    void relocatedTransportIsFound() throws Exception {
        Process program = startEcho(List.of(), "com.acme.io.nettyrdma");
        try {
            Result shown = run("-jar", JAR.toString(), Long.toString(program.pid()), "--once");
            assertThat(shown.errors()).isEmpty();
            assertThat(shown.output()).as("of both copies").contains("connections  4 open");
        } finally {
            program.getOutputStream().close();
            assertThat(program.waitFor()).isZero();
        }
    }

    /** Each screen is drawn over the last one, whose longer lines leave nothing behind. */
    @Test
    void terminalIsRedrawn() throws Exception {
        Process program = startEcho();
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            String[] words = { Long.toString(program.pid()), "--count", "2" };
            assertThat(RdmaTop.run(words, new PrintStream(out, false, StandardCharsets.UTF_8), System.err, true))
                    .isZero();
            String shown = out.toString(StandardCharsets.UTF_8);
            String[] screens = shown.split("\033\\[J", -1);
            assertThat(screens).hasSize(3);
            assertThat(screens[2]).isEmpty();
            for (int i = 0; i < 2; i++) {
                assertThat(screens[i]).startsWith("\033[Hprocess      " + program.pid());
                assertThat(screens[i].lines()).hasSizeGreaterThan(8).allMatch(line -> line.endsWith("\033[K"));
            }
        } finally {
            program.getOutputStream().close();
            assertThat(program.waitFor()).isZero();
        }
    }

    private static long messages(String direction, Result shown) {
        Matcher rate = Pattern.compile("(?m)^" + direction + ".* ([0-9,]+) messages/s;").matcher(shown.output());
        assertThat(rate.find()).as(shown.output()).isTrue();
        return Long.parseLong(rate.group(1).replace(",", ""));
    }

    @Test
    void jvmWithoutManagementIsNoObstacle() throws Exception {
        Process program = startEcho(List.of("--limit-modules",
                "java.base,java.logging,jdk.jfr,jdk.unsupported"));
        program.getOutputStream().close();
        assertThat(program.waitFor()).isZero();
        assertThat(elsewhere.resolve("errors")).content().doesNotContain("java.management");
    }

    @Test
    void processWithoutRdmaIsReported() throws Exception {
        long own = ProcessHandle.current().pid();
        Result result = run("-jar", JAR.toString(), Long.toString(own), "--once");
        assertThat(result.errors()).startsWith("rdma-top: process " + own).contains("has no event loop of netty-");
        assertThat(result.status()).isEqualTo(1);
    }

    @Test
    void processThatIsNoJvmIsReported() throws Exception {
        Process ended = start("--version");
        ended.getInputStream().readAllBytes();
        ended.waitFor();
        Result result = run("-jar", JAR.toString(), Long.toString(ended.pid()), "--once");
        assertThat(result.errors()).startsWith("rdma-top: cannot attach to process " + ended.pid())
                .contains("rdma-top without PID lists them");
        assertThat(result.status()).isEqualTo(1);
    }

    /** Returns when there is traffic. */
    private Process startEcho() throws IOException {
        return startEcho(List.of());
    }

    private Process startEcho(List<String> options, String... words) throws IOException {
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("-Dio.nettyrdma.device=software", "-cp", System.getProperty("java.class.path"),
                EchoingProgram.class.getName()));
        arguments.addAll(List.of(words));
        Process program = start(arguments.toArray(String[]::new));
        assertThat(new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))
                .readLine()).isEqualTo("echoes");
        return program;
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(elsewhere.toFile())
                .redirectError(elsewhere.resolve("errors").toFile());
        builder.environment().put("SOFTHCA_QUIET", "1");
        return builder.start();
    }

    private Result run(String... arguments) throws IOException, InterruptedException {
        Path errors = elsewhere.resolve("errors-of-top");
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).directory(elsewhere.toFile()).redirectError(errors.toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output, Files.readString(errors));
    }
}
