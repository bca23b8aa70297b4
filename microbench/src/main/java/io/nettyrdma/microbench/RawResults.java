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
package io.nettyrdma.microbench;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The figures of a program for other programs, such as {@code microbench/report}: appended to {@code NAME.tsv} and
 * {@code NAME.hlog} in the directory that the environment variable {@code RESULTS} names. Without it none are written.
 *
 * <p>A line has five columns with a tab between them: series, variant, figure with its unit, the variant that it is
 * compared with or nothing, and the values of all rounds with a space between them.
 */
public final class RawResults {

    private static final String DIRECTORY = System.getenv("RESULTS");

    private final Path tsv;
    private final Path log;

    private RawResults(Path directory, String program) {
        tsv = directory.resolve(program + ".tsv");
        log = directory.resolve(program + ".hlog");
    }

    /** Returns {@code null} if no results are wanted. */
    public static RawResults of(String program) {
        return isWanted() ? new RawResults(Path.of(DIRECTORY), program) : null;
    }

    public static boolean isWanted() {
        return DIRECTORY != null && !DIRECTORY.isEmpty();
    }

    /**
     * @param figure such as {@code p50 us}.
     * @param baseline the variant whose values of the same rounds this one is compared with, or {@code ""}.
     */
    public void add(String series, String variant, String figure, String baseline, double... rounds)
            throws IOException {
        String values = Arrays.stream(rounds).mapToObj(RawResults::number).collect(Collectors.joining(" "));
        Files.writeString(tsv, String.join("\t", series, variant, figure, baseline, values) + '\n',
                StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Appends a histogram for each round, whose tags are {@code series/variant} with dashes for spaces and commas. */
    public void add(String series, String variant, List<Histogram> rounds) throws IOException {
        String tag = (series + '/' + variant).replaceAll("[ ,]+", "-");
        try (PrintStream output = new PrintStream(new FileOutputStream(log.toFile(), true), false,
                StandardCharsets.US_ASCII)) {
            HistogramLogWriter writer = new HistogramLogWriter(output);
            for (Histogram histogram : rounds) {
                histogram.setTag(tag);
                writer.outputIntervalHistogram(histogram);
            }
        }
    }

    /** Four digits are more than any measurement has. */
    private static String number(double value) {
        double digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
        if (value == 0 || digits == 0 || !Double.isFinite(digits)) {
            return Long.toString(Math.round(value));
        }
        double scale = Math.pow(10, digits);
        return Double.toString(Math.round(value * scale) / scale);
    }
}
