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

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Raw results that a test makes up, and the report of them. */
final class GivenReport {

    private final Path directory;
    private final Map<String, String> machine = new LinkedHashMap<>(Map.of("processor", "one & only"));
    private final List<RawFigure> figures = new ArrayList<>();
    private final List<SectionResult> sections = new ArrayList<>();

    GivenReport(Path directory) {
        this.directory = directory;
    }

    GivenReport machine(String name, String value) {
        machine.put(name, value);
        return this;
    }

    GivenReport section(String name, String failure) {
        sections.add(new SectionResult(name, 7, List.of("microbench/echo --kinds '<" + name + ">'"), List.of(),
                failure));
        return this;
    }

    GivenReport figure(String series, String variant, String figure, String baseline, double... rounds) {
        figures.add(new RawFigure("round-trips", series, variant, figure, baseline, rounds));
        return this;
    }

    /** A log with times from 1 to {@code count} microseconds. */
    GivenReport histogram(String tag, int count) throws IOException {
        Path log = Files.createDirectories(directory.resolve("raw")).resolve("round-trips.hlog");
        Histogram histogram = new Histogram(2);
        histogram.setTag(tag);
        for (int i = 1; i <= count; i++) {
            histogram.recordValue(i * 1000L);
        }
        try (PrintStream output = new PrintStream(log.toFile())) {
            new HistogramLogWriter(output).outputIntervalHistogram(histogram);
        }
        return this;
    }

    RawReport read() throws IOException {
        new RawReport(machine, sections, figures, Map.of()).write(directory);
        return RawReport.read(directory);
    }

    /** Writes the page too. */
    Path written() throws IOException {
        read();
        Report.writePage(directory);
        return directory;
    }
}
