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

import io.nettyrdma.program.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** The command line. */
@Command(name = "microbench/report", description = "Runs all benchmarks and writes one page with drawings.")
final class ReportOptions extends Options {

    private static final double DEFAULT_MINUTES = 20;
    private static final double QUICK_MINUTES = 2;

    @Option(names = "--quick", description = "leaves out sections that take long")
    private boolean quick;

    @Option(names = "--minutes", paramLabel = "N", description = "that all of it should take, 20, or 2 with --quick")
    private Double minutes;

    /** All without it. */
    @Option(names = "--sections", split = ",", paramLabel = "NAME", description = "to run")
    private List<String> sections = List.of();

    @Option(names = "--out", paramLabel = "DIRECTORY", description = "of the report")
    private Path out;

    @Option(names = "--compare", arity = "2", paramLabel = "OLD NEW", hideParamSyntax = true,
            description = "prints what changed from one report to the other")
    private List<Path> compared = List.of();

    @Option(names = "--page", description = "writes the page again from the raw numbers")
    private boolean pageOnly;

    @Override
    protected void check() {
        if (!(minutes() > 0)) {
            throw new IllegalArgumentException("--minutes must be positive");
        }
        List<String> known = Sections.all().stream().map(Section::name).toList();
        for (String each : sections) {
            if (!known.contains(each)) {
                throw new IllegalArgumentException("--sections cannot be " + each + ": use "
                        + String.join(", ", known));
            }
        }
    }

    /** That everything should take. */
    double minutes() {
        return minutes != null ? minutes : quick ? QUICK_MINUTES : DEFAULT_MINUTES;
    }

    boolean quick() {
        return quick;
    }

    /** Directory of the report. */
    Path out() {
        return out == null ? Path.of(System.getProperty("report.root", "")).resolve("microbench/target/report")
                : ofUser(out);
    }

    /** The old report and the new one, or nothing. */
    List<Path> compared() {
        return compared.stream().map(ReportOptions::ofUser).toList();
    }

    boolean pageOnly() {
        return pageOnly;
    }

    boolean isWanted(Section section) {
        return sections.isEmpty() || sections.contains(section.name());
    }

    /** Fewer rounds in a short run: each needs some time. */
    int rounds() {
        return minutes() <= QUICK_MINUTES ? 3 : 5;
    }

    /** In the directory that the user is in. */
    private static Path ofUser(Path path) {
        return Path.of(System.getProperty("report.directory", "")).resolve(path);
    }
}
