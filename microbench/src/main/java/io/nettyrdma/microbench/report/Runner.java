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
package io.nettyrdma.microbench.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs the commands of a section and keeps what they leave. */
final class Runner {

    /** A command that takes this many times its plan, and some seconds, hangs. */
    private static final int PATIENCE_TIMES = 3;
    private static final int PATIENCE_SECONDS = 60;
    /** Such sections may have to get something first. */
    private static final int PATIENCE_OF_LONG_SECTIONS = 10;
    /** Lines of output that explain a failure. */
    private static final int LAST_LINES = 3;
    private static final Pattern ROUND = Pattern.compile("round \\d+ of \\d+");

    private final Path root;
    private final Path raw;
    private final Progress progress;
    private final Map<String, RawFigure> figures = new LinkedHashMap<>();
    private final Deque<String> lastLines = new ArrayDeque<>();

    /**
     * @param root top of the tree, where commands run.
     * @param raw directory for logs and output.
     */
    Runner(Path root, Path raw, Progress progress) {
        this.root = root;
        this.raw = raw;
        this.progress = progress;
    }

    /** All figures so far, with the rounds of repeated commands together. */
    List<RawFigure> figures() {
        return List.copyOf(figures.values());
    }

    /** Runs what fits. An error ends the section, not the report. */
    SectionResult run(Section section, Budget budget) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        if (budget.quick() && section.fewestSeconds() > 0) {
            return SectionResult.leftOut(section.name(),
                    "left out of a quick report, because it takes " + Math.round(section.fewestSeconds())
                            + " s at least: --minutes 10 has it");
        }
        progress.begin(section.name(), budget.seconds());
        Path results = Files.createTempDirectory("report");
        String failure = null;
        List<Command> commands = section.plan().commands(budget);
        for (int i = 0; i < commands.size() && failure == null; i++) {
            progress.detail(commands.size() == 1 ? "" : "command " + (i + 1) + " of " + commands.size());
            failure = run(section, commands.get(i), results, budget);
        }
        keep(section.name(), results);
        return new SectionResult(section.name(), TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin),
                texts(commands), Sections.notes(section), failure);
    }

    /** Returns why the command failed, or {@code null}. */
    private String run(Section section, Command command, Path results, Budget budget)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command.words()).directory(root.toFile()).redirectErrorStream(true);
        builder.environment().putAll(command.environment());
        builder.environment().put("RESULTS", results.toString());
        Process process = builder.start();
        process.getOutputStream().close();
        Thread reader = new Thread(() -> copy(section, command, process), "output");
        reader.start();
        long patience = Math.round(budget.seconds() * PATIENCE_TIMES + PATIENCE_SECONDS
                + section.fewestSeconds() * PATIENCE_OF_LONG_SECTIONS);
        boolean ended = process.waitFor(patience, TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        reader.join();
        if (!ended) {
            return command + " did not end within " + patience + " s";
        }
        return process.exitValue() == 0 ? null
                : command + " ended with status " + process.exitValue() + ": " + String.join(" ", lastLines);
    }

    private void copy(Section section, Command command, Process process) {
        Path output = raw.resolve(section.name() + ".txt");
        lastLines.clear();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            append(output, "$ " + command);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                append(output, line);
                lastLines.add(line);
                if (lastLines.size() > LAST_LINES) {
                    lastLines.remove();
                }
                Matcher round = ROUND.matcher(line);
                if (round.find()) {
                    progress.detail(round.group());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void append(Path file, String line) throws IOException {
        Files.writeString(file, line + '\n', StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Takes the figures and the logs over, and removes the directory. */
    private void keep(String section, Path results) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(results)) {
            files = all.sorted().toList();
        }
        for (Path file : files) {
            if (file.toString().endsWith(".tsv")) {
                for (String line : Files.readAllLines(file)) {
                    RawFigure figure = RawFigure.parse(section + '\t' + line);
                    figures.merge(figure.key(), figure, RawFigure::and);
                }
            } else {
                Files.writeString(raw.resolve(section + ".hlog"), Files.readString(file), StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            }
            Files.delete(file);
        }
        Files.delete(results);
    }

    /** One line for commands that are the same. */
    private static List<String> texts(List<Command> commands) {
        List<String> all = commands.stream().map(Command::toString).toList();
        List<String> texts = new ArrayList<>();
        for (String each : new LinkedHashSet<>(all)) {
            long times = all.stream().filter(each::equals).count();
            texts.add(times == 1 ? each : each + "    # " + times + " times");
        }
        return texts;
    }
}
