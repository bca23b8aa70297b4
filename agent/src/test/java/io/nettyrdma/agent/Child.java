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
package io.nettyrdma.agent;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** A JVM with a program whose class path has Netty, and nothing of this project. */
final class Child {

    private static final int SECONDS = 60;

    /**
     * How it ended.
     *
     * @param status of the JVM.
     * @param output the program's.
     * @param errors what the agent has said, too.
     */
    record Result(int status, String output, String errors) { }

    private final Path directory;
    private final List<String> options = new ArrayList<>();
    private final List<String> before = new ArrayList<>();
    private String classPath;

    /** @param directory for output, and the fabric of the software device. */
    Child(Path directory) {
        this.directory = directory;
        options.add("-XX:TieredStopAtLevel=1");
        options.add("-Xcheck:jni");
        options.add("-Dio.netty.leakDetectionLevel=paranoid");
        classPath = programs() + ':' + entries("/io/netty/");
    }

    static String programs() {
        return Child.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    /** The entries of this class path that have one of the texts. */
    static String entries(String... parts) {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Arrays.stream(parts).anyMatch(entry::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The jars of a directory of the build. */
    static String built(String name) {
        return Path.of(System.getProperty("agent.jar")).resolveSibling(name) + "/*";
    }

    /** @param jar a part of its name. */
    Child without(String jar) {
        classPath = Arrays.stream(classPath.split(File.pathSeparator)).filter(entry -> !entry.contains(jar))
                .collect(Collectors.joining(File.pathSeparator));
        return this;
    }

    Child libraries(String entries) {
        classPath = programs() + ':' + entries;
        return this;
    }

    Child option(String option) {
        options.add(option);
        return this;
    }

    /** @param words a command that runs the JVM. */
    Child behind(String... words) {
        before.addAll(Arrays.asList(words));
        return this;
    }

    /** @param agentOptions of the agent's; empty for none. */
    Child agent(String agentOptions) {
        return option("-javaagent:" + System.getProperty("agent.jar") + (agentOptions.isEmpty() ? "" : '=')
                + agentOptions);
    }

    /** With the software device, and a summary at the end. The first connect of a JVM on a busy machine takes long. */
    Child softwareAgent(String agentOptions) {
        return agent("device=software,summary=on,headStartMillis=20000" + (agentOptions.isEmpty() ? "" : ',')
                + agentOptions);
    }

    Result run(Class<?> program, String... arguments) throws IOException, InterruptedException {
        return run(program.getName(), arguments);
    }

    Result run(String program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(program);
        command.addAll(Arrays.asList(arguments));
        Path output = directory.resolve("output");
        Path errors = directory.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("SOFTHCA_FABRIC", "agent-" + ProcessHandle.current().pid());
        Process process = builder.start();
        try {
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("%s ends", command).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Result(process.exitValue(), Files.readString(output), Files.readString(errors));
    }
}
