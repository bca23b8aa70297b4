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
package io.nettyrdma.testsuite.support;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A second JVM with the class path and options of this one. Parent and child exchange lines over the child's standard
 * input and output; everything else that the child prints goes to the log. Closing kills the child. A child whose
 * parent has died reads the end of its input.
 */
public final class ChildProcess implements AutoCloseable {

    /** Marks lines for the parent, as opposed to output of the JVM. */
    private static final String MARK = "@ ";
    private static final String END = "end of output";

    private final Process process;
    private final PrintWriter input;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ChildProcess(Process process, String name) {
        this.process = process;
        input = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        Thread reader = new Thread(() -> read(name), "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    public static ChildProcess start(Class<?> main, String... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    /** @param wrapper a command with arguments that runs the command appended to it. */
    public static ChildProcess start(List<String> wrapper, Class<?> main, String... arguments) throws IOException {
        return start(wrapper, List.of("-cp", System.getProperty("java.class.path")), main, arguments);
    }

    /** @param options further JVM options, including the class path or module path. */
    public static ChildProcess start(List<String> wrapper, List<String> options, Class<?> main, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            // Options for memory are omitted too: they only slow down a short-lived JVM whose memory is not measured.
            if (!option.startsWith("-javaagent") && !option.startsWith("-agent") && !option.startsWith("-Xms")
                    && !option.equals("-XX:+AlwaysPreTouch")) {
                command.add(option);
            }
        }
        // The child ends before C2 compilation would pay off.
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(options);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ChildProcess(new ProcessBuilder(command).redirectErrorStream(true).start(), main.getSimpleName());
    }

    /** For the child: sends a line to the parent. */
    public static void reportToParent(String line) {
        System.out.println(MARK + line);
        System.out.flush();
    }

    /** For the child: the lines that the parent sends. */
    public static BufferedReader parentLines() {
        return new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    }

    /** The next line from the child. */
    public String readLine() throws InterruptedException {
        // Starting a JVM is the slowest thing that a child does.
        return readLine(Deadline.standard());
    }

    /** For a child that takes longer. */
    public String readLine(Deadline deadline) throws InterruptedException {
        String line = lines.poll(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        if (line == null) {
            throw new AssertionError("waited in vain for a line of " + process.info().commandLine().orElse("a child"));
        }
        if (line.equals(END)) {
            throw new AssertionError("the child ended, status " + process.waitFor() + ": its output is in the log");
        }
        return line;
    }

    public void writeLine(String line) {
        input.println(line);
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** Waits until the child has exited by itself. */
    public int exitStatus() throws InterruptedException {
        if (!process.waitFor(Deadline.standard().remainingNanos(), TimeUnit.NANOSECONDS)) {
            throw new AssertionError("waited in vain for the end of process " + process.pid());
        }
        return process.exitValue();
    }

    /** @param name a signal name as kill takes it: STOP, CONT. */
    public void signal(String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException("kill -" + name + ' ' + pid() + ": status " + status);
        }
    }

    /** Stops the child. Returns when none of its threads runs any more: some continue for a while after the signal. */
    public void stop() throws Exception {
        signal("STOP");
        Deadline.standard().until("the process has stopped", () -> {
            try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid()), "task"))) {
                for (Path thread : threads.toList()) {
                    String stat = Files.readString(thread.resolve("stat"));
                    // "number (name) state ..."
                    if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                        return false;
                    }
                }
                return true;
            }
        });
    }

    /** Kills the child, which cannot clean up. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        exitStatus();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void read(String name) {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(MARK)) {
                    lines.add(line.substring(MARK.length()));
                } else {
                    System.out.println(name + ": " + line);
                }
            }
        } catch (IOException e) {
            // Killing a process closes its streams too, so this is a normal end of output.
        }
        lines.add(END);
    }
}
