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
package io.nettyrdma.microbench.echo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** {@link Server} in a process of its own, on a JVM with the same options as this one. */
final class ServerProcess implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 20;

    private final Process process;
    private final PrintStream commands;
    private final BufferedReader answers;

    ServerProcess() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Server.class.getName()));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.US_ASCII);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
    }

    long pid() {
        return process.pid();
    }

    /** Returns the port. */
    int listen(Transport transport, Kind kind, int loops) throws Exception {
        return Integer.parseInt(ask(transport + " " + kind + " " + loops));
    }

    void stopListening() throws Exception {
        ask("close");
    }

    private String ask(String command) throws Exception {
        commands.println(command);
        String answer = CompletableFuture.supplyAsync(this::readLine).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new IOException("the server's process ended at '" + command + "'; what it said is above");
        }
        return answer;
    }

    /** Passes on other lines, which the JVM may print. */
    private String readLine() {
        try {
            String line = answers.readLine();
            while (line != null && !line.startsWith(Server.ANSWER)) {
                System.out.println(line);
                line = answers.readLine();
            }
            return line == null ? null : line.substring(Server.ANSWER.length());
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        // The process exits at the end of its input, or is killed.
        commands.close();
        try {
            process.waitFor(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
    }
}
