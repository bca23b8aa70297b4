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

import io.nettyrdma.microbench.Program;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The main program: {@code microbench/report}. */
public final class Report {

    private static final double SECONDS = 60;
    /** Status of a comparison that found a change. */
    private static final int CHANGED = 3;

    private Report() {
    }

    public static void main(String[] words) throws Exception {
        ReportOptions options = new ReportOptions();
        Program.run(options, words, () -> run(options));
    }

    private static void run(ReportOptions options) throws Exception {
        if (!options.compared().isEmpty()) {
            ReportComparison comparison = new ReportComparison(RawReport.read(options.compared().get(0)),
                    RawReport.read(options.compared().get(1)));
            System.out.print(comparison.text());
            System.exit(comparison.hasChanges() ? CHANGED : 0);
        }
        if (!options.pageOnly()) {
            measure(options, Path.of(System.getProperty("report.root", "")).toAbsolutePath());
        }
        RawReport report = writePage(options.out());
        System.out.println("report: " + options.out().resolve("index.html"));
        long failed = report.sections().stream().filter(SectionResult::hasFailed).count();
        if (failed > 0) {
            throw new IOException(failed + " sections failed, see the page");
        }
    }

    private static void measure(ReportOptions options, Path root) throws Exception {
        Path raw = Files.createDirectories(options.out().resolve(RawReport.DIRECTORY));
        clear(raw);
        Map<String, String> machine = Machine.describe(root);
        String loadBefore = Machine.load();
        List<Section> wanted = Sections.all().stream().filter(options::isWanted)
                .filter(each -> !options.quick() || each.fewestSeconds() == 0).toList();
        double shares = wanted.stream().mapToDouble(Section::share).sum();
        double seconds = options.minutes() * SECONDS;
        List<SectionResult> results = new ArrayList<>();
        Runner runner;
        try (Progress progress = new Progress(seconds)) {
            runner = new Runner(root, raw, progress);
            for (Section section : Sections.all()) {
                if (options.isWanted(section)) {
                    SectionResult result = runner.run(section, new Budget(seconds * section.share() / shares,
                            options.rounds(), options.quick()));
                    results.add(result);
                    if (result.failure() != null) {
                        progress.say("microbench/report: " + section.name() + ": " + result.failure());
                    }
                } else {
                    results.add(SectionResult.leftOut(section.name(), "left out by --sections"));
                }
            }
        }
        RawReport measured = new RawReport(machine, results, runner.figures(), Map.of());
        machine.put(RawReport.LOAD, loadBefore + ", " + Machine.load());
        machine.put("time", Progress.time(measured.seconds()) + " minutes, " + options.rounds() + " rounds");
        machine.put("options of JVMs", System.getenv().getOrDefault("JAVA_OPTS", "none"));
        measured.write(options.out());
    }

    /** Also from raw results that were there before. */
    static RawReport writePage(Path out) throws IOException {
        RawReport report = RawReport.read(out);
        List<Section> sections = Sections.all();
        Files.writeString(out.resolve("index.html"), new Page(report, sections).html(), StandardCharsets.UTF_8);
        Chart overview = Overview.of(report, Page.titles(sections));
        Files.writeString(out.resolve("overview.svg"), overview.drawing().asFile(overview.height(),
                Overview.conditions(report)), StandardCharsets.UTF_8);
        return report;
    }

    /** Removes the results of an earlier report, and nothing else. */
    private static void clear(Path raw) throws IOException {
        try (Stream<Path> files = Files.list(raw)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                if (file.toString().matches(".*\\.(tsv|hlog|txt)")) {
                    Files.delete(file);
                }
            }
        }
    }
}
