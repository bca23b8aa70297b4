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

import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The raw results of a report: the directory {@value #DIRECTORY} beside its page.
 *
 * <pre>
 *   machine.tsv        name and value
 *   sections.tsv       section; "seconds", "command", "note" or "failure"; value
 *   figures.tsv        lines of {@link RawFigure}
 *   SECTION.hlog       a log of HdrHistogram; its tags are SERIES/VARIANT with dashes for spaces
 *   SECTION.txt        the output of the commands
 * </pre>
 *
 * @param machine what the report was made on, in order.
 * @param histograms of all rounds together, by section and tag.
 */
record RawReport(Map<String, String> machine, List<SectionResult> sections, List<RawFigure> figures,
                 Map<String, Map<String, Histogram>> histograms) {

    static final String DIRECTORY = "raw";
    /** Name of the load before and after. */
    static final String LOAD = "load before, after";
    /** A load of this part of the processors is other work. */
    private static final double BUSY = 0.3;

    static RawReport read(Path report) throws IOException {
        Path directory = report.resolve(DIRECTORY);
        if (!Files.exists(directory.resolve("figures.tsv"))) {
            throw new IOException(report + " is no report: it has no " + DIRECTORY + "/figures.tsv");
        }
        Map<String, String> machine = new LinkedHashMap<>();
        for (String line : lines(directory.resolve("machine.tsv"))) {
            String[] words = line.split("\t", 2);
            machine.put(words[0], words[1]);
        }
        List<SectionResult> sections = sections(lines(directory.resolve("sections.tsv")));
        Map<String, Map<String, Histogram>> histograms = new LinkedHashMap<>();
        for (SectionResult section : sections) {
            Path log = directory.resolve(section.name() + ".hlog");
            if (Files.exists(log)) {
                histograms.put(section.name(), histograms(log));
            }
        }
        return new RawReport(machine, sections,
                lines(directory.resolve("figures.tsv")).stream().map(RawFigure::parse).toList(), histograms);
    }

    /** Writes everything but the logs, which are files of the programs. */
    void write(Path report) throws IOException {
        Path directory = Files.createDirectories(report.resolve(DIRECTORY));
        List<String> lines = new ArrayList<>();
        machine.forEach((name, value) -> lines.add(name + '\t' + oneLine(value)));
        write(directory.resolve("machine.tsv"), lines);
        lines.clear();
        for (SectionResult section : sections) {
            lines.add(section.name() + "\tseconds\t" + section.seconds());
            section.commands().forEach(each -> lines.add(section.name() + "\tcommand\t" + oneLine(each)));
            section.notes().forEach(each -> lines.add(section.name() + "\tnote\t" + oneLine(each)));
            if (section.failure() != null) {
                lines.add(section.name() + "\tfailure\t" + oneLine(section.failure()));
            }
        }
        write(directory.resolve("sections.tsv"), lines);
        write(directory.resolve("figures.tsv"), figures.stream().map(RawFigure::line).toList());
    }

    List<RawFigure> figures(String section) {
        return figures.stream().filter(each -> each.section().equals(section)).toList();
    }

    /** Returns the values that a figure is compared with, or {@code null}. */
    RawFigure baseline(RawFigure figure) {
        return figures.stream().filter(each -> each.section().equals(figure.section())
                && each.series().equals(figure.series()) && each.figure().equals(figure.figure())
                && each.variant().equals(figure.baseline())).findFirst().orElse(null);
    }

    /** Returns the ratio to the baseline; empty if there is none. */
    Spread ratio(RawFigure figure) {
        RawFigure baseline = baseline(figure);
        return baseline == null ? Spread.of() : figure.ratio(baseline);
    }

    /** Whether the machine had other work before the report began, which makes load itself. */
    boolean isDisturbed() {
        return loadBefore() > BUSY * Double.parseDouble(machine.getOrDefault("processors", "1"));
    }

    double loadBefore() {
        return Double.parseDouble(machine.getOrDefault(LOAD, "0").split(",")[0]);
    }

    /** How long all sections took. */
    long seconds() {
        return sections.stream().mapToLong(SectionResult::seconds).sum();
    }

    private static List<SectionResult> sections(List<String> lines) {
        Map<String, List<String[]>> bySection = new LinkedHashMap<>();
        for (String line : lines) {
            String[] words = line.split("\t", 3);
            bySection.computeIfAbsent(words[0], key -> new ArrayList<>()).add(words);
        }
        List<SectionResult> sections = new ArrayList<>();
        bySection.forEach((name, rows) -> {
            List<String> failure = values(rows, "failure");
            sections.add(new SectionResult(name, Long.parseLong(values(rows, "seconds").get(0)),
                    values(rows, "command"), values(rows, "note"), failure.isEmpty() ? null : failure.get(0)));
        });
        return sections;
    }

    private static List<String> values(List<String[]> rows, String kind) {
        return rows.stream().filter(row -> row[1].equals(kind)).map(row -> row[2]).toList();
    }

    private static Map<String, Histogram> histograms(Path log) throws IOException {
        Map<String, Histogram> byTag = new LinkedHashMap<>();
        try (HistogramLogReader reader = new HistogramLogReader(log.toFile())) {
            while (reader.hasNext()) {
                EncodableHistogram next = reader.nextIntervalHistogram();
                if (next instanceof Histogram histogram) {
                    byTag.merge(histogram.getTag(), histogram, RawReport::sum);
                }
            }
        }
        return byTag;
    }

    private static Histogram sum(Histogram first, Histogram second) {
        first.add(second);
        return first;
    }

    private static String oneLine(String value) {
        return value.replaceAll("\\s+", " ").trim();
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file, StandardCharsets.UTF_8);
    }

    private static void write(Path file, List<String> lines) throws IOException {
        Files.write(file, lines, StandardCharsets.UTF_8);
    }
}
