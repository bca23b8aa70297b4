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
package io.nettyrdma.testsuite.netty;

import io.nettyrdma.testsuite.netty.ConformanceRecord.Ending;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

/**
 * The table in docs/conformance.md: a row for each method of Netty's tests, a column for each lane, from the records of
 * {@link ConformanceRecorder}. Columns of lanes that did not run are kept.
 *
 * <pre>
 *   ConformancePage PAGE RECORDS          RECORDS has a directory for each lane; writes the table
 *   ConformancePage PAGE RECORDS --check  fails if that would change it
 * </pre>
 *
 * A method that is skipped or deviates must have a row elsewhere on the page, for the method or for {@code all} of the
 * class.
 */
public final class ConformancePage {

    private static final String BEGIN = "<!-- bin/conformance writes from here -->";
    private static final String END = "<!-- to here -->";
    private static final String ALL = "all";
    private static final int KEYS = 2;

    private final Set<String> lanes = new LinkedHashSet<>();
    private final Map<Key, Map<String, String>> rows = new TreeMap<>();
    /** Results other than a plain pass. */
    private final Set<Key> exceptions = new TreeSet<>();

    private record Key(String type, String method) implements Comparable<Key> {

        @Override
        public int compareTo(Key other) {
            return Comparator.comparing(Key::type).thenComparing(Key::method).compare(this, other);
        }
    }

    private ConformancePage() {
    }

    public static void main(String[] arguments) throws IOException {
        Path page = Path.of(arguments[0]);
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN) + BEGIN.length();
        int end = text.indexOf(END);
        ConformancePage table = new ConformancePage();
        table.read(text.substring(begin, end));
        try (Stream<Path> directories = Files.list(Path.of(arguments[1]))) {
            for (Path lane : directories.sorted().toList()) {
                table.replace(lane.getFileName().toString(), records(lane));
            }
        }
        table.mustBeExplained(text.substring(0, begin) + text.substring(end));
        String written = text.substring(0, begin) + table.text() + text.substring(end);
        if (!Arrays.asList(arguments).contains("--check")) {
            Files.writeString(page, written);
        } else if (!written.equals(text)) {
            throw new IllegalStateException(page + " does not say how these tests ended, bin/conformance would write:\n"
                    + written.lines().filter(each -> !text.contains(each)).collect(Collectors.joining("\n")));
        }
    }

    private static List<ConformanceRecord> records(Path lane) throws IOException {
        List<ConformanceRecord> records = new ArrayList<>();
        try (Stream<Path> files = Files.list(lane)) {
            for (Path file : files.toList()) {
                Files.readAllLines(file).forEach(each -> records.add(ConformanceRecord.parse(each)));
            }
        }
        return records;
    }

    /** The first line has the lanes, the second is the rule below. */
    private void read(String table) {
        List<List<String>> lines = table.lines().filter(each -> !each.isBlank())
                .map(each -> Arrays.stream(each.split("\\|", -1)).map(String::strip).toList())
                .map(each -> each.subList(1, each.size() - 1)).toList();
        if (lines.isEmpty()) {
            return;
        }
        lanes.addAll(lines.get(0).subList(KEYS, lines.get(0).size()));
        for (List<String> line : lines.subList(2, lines.size())) {
            int cell = KEYS;
            for (String lane : lanes) {
                put(new Key(line.get(0), line.get(1)), lane, line.get(cell++));
            }
        }
    }

    private void put(Key key, String lane, String cell) {
        rows.computeIfAbsent(key, absent -> new TreeMap<>()).put(lane, cell);
    }

    private void replace(String lane, List<ConformanceRecord> records) {
        lanes.add(lane);
        rows.values().forEach(each -> each.remove(lane));
        records.stream().collect(groupingBy(each -> new Key(each.type(), each.method()))).forEach((key, of) -> {
            put(key, lane, cell(of));
            if (of.stream().anyMatch(each -> each.ending() != Ending.PASSED)) {
                exceptions.add(key);
            }
        });
        put(new Key(ALL, ""), lane, endings(records));
    }

    /** Names permutations whose results differ. */
    private static String cell(List<ConformanceRecord> records) {
        Map<String, List<ConformanceRecord>> permutations = new TreeMap<>(records.stream()
                .collect(groupingBy(ConformanceRecord::permutation)));
        boolean alike = permutations.values().stream().map(ConformancePage::endings).distinct().count() == 1;
        return alike ? endings(records) : permutations.entrySet().stream()
                .map(each -> each.getKey() + ": " + endings(each.getValue())).collect(Collectors.joining("; "));
    }

    private static String endings(List<ConformanceRecord> records) {
        return new TreeMap<>(records.stream().collect(groupingBy(ConformanceRecord::ending, counting()))).entrySet()
                .stream().map(each -> switch (each.getKey()) {
                case PASSED -> each.getValue().toString();
                case DEVIATES -> each.getValue() + " deviate";
                case SKIPPED -> each.getValue() + " skipped";
                case FAILED -> each.getValue() + " FAILED";
                }).collect(Collectors.joining(", "));
    }

    private void mustBeExplained(String prose) {
        String missing = exceptions.stream()
                .filter(each -> Stream.of(each.method(), ALL)
                        .noneMatch(of -> prose.contains(line(List.of(each.type(), of)))))
                .map(each -> each.type() + "." + each.method()).collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            throw new IllegalStateException("did not simply pass, and the page has no row that says why: " + missing);
        }
    }

    private String text() {
        List<String> head = new ArrayList<>(List.of("class", "method"));
        head.addAll(lanes);
        return Stream.concat(
                Stream.of(line(head), line(head.stream().map(each -> "---").toList())),
                rows.entrySet().stream().filter(each -> !each.getValue().isEmpty())
                        .map(each -> line(cells(each.getKey(), each.getValue()))))
                .collect(Collectors.joining("\n", "\n", "\n"));
    }

    private List<String> cells(Key key, Map<String, String> byLane) {
        List<String> cells = new ArrayList<>(List.of(key.type(), key.method()));
        lanes.forEach(each -> cells.add(byLane.getOrDefault(each, "")));
        return cells;
    }

    /** Complete, or the beginning of one. */
    private static String line(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |"));
    }
}
