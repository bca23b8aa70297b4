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
package io.nettyrdma.testsuite.arch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

/** Every name in {@code testsuite/lanes/table} has a meaning, and {@code run-lanes} chooses the lanes as it says. */
class LaneTableTest {

    private static final Path TESTS = ScriptTree.ROOT.resolve("testsuite/src/test/java/io/nettyrdma/testsuite");

    /** The columns of each line, without comments. */
    private final List<List<String>> lines = read();

    @TempDir
    private Path directory;

    @Test
    void everyLaneUsesNamesOfTheTable() {
        assertThat(of("lane")).hasSizeGreaterThan(10).allSatisfy(lane -> {
            assertThat(lane).hasSize(11);
            assertThat(List.of("always", "with-jdk25", "permuted", "thorough")).contains(lane.get(2));
            assertThat(List.of("rc", "iwarp", "minimal", "efa", "efa44", "efa0")).contains(lane.get(3));
            assertThat(names("faults", "-")).contains(lane.get(4));
            assertThat(List.of("build", "25")).contains(lane.get(5));
            assertThat(List.of("1", "2", "3")).contains(lane.get(6));
            assertThat(names("classes")).contains(lane.get(8));
            assertThat(List.of("ours", "oldest", "newest")).contains(lane.get(9));
            assertThat(names("options", "-")).contains(lane.get(10).split(","));
        });
        assertThat(of("lane").map(lane -> lane.get(1))).doesNotHaveDuplicates();
        assertThat(names("conformance")).isSubsetOf(names("lane"));
        assertThat(names("thorough-options")).isSubsetOf(names("options"));
    }

    @Test
    void everyPatternOfClassesMatchesATest() throws IOException {
        List<Path> tests;
        try (Stream<Path> files = Files.walk(TESTS)) {
            tests = files.filter(Files::isRegularFile).map(TESTS::relativize).toList();
        }
        assertThat(of("classes").flatMap(line -> line.stream().skip(2))).allSatisfy(pattern -> {
            // As for find, an asterisk stands for slashes, too.
            PathMatcher matcher = FileSystems.getDefault().getPathMatcher(
                    "glob:" + pattern.replace("*", "**") + ".java");
            assertThat(tests).as(pattern).anyMatch(matcher::matches);
        });
    }

    @Test
    void faultsOfLateIwarpIncludeThoseOfLate() {
        assertThat(value("faults", "late-iwarp")).startsWith(value("faults", "late") + ',');
    }

    @Test
    void lanesRunWhereTheirJdkIs() throws Exception {
        ScriptTree scripts = new ScriptTree(directory);
        scripts.copy("testsuite/lanes");
        String runLanes = "testsuite/lanes/run-lanes";
        List<String> always = lanesThatRun(Set.of("always"));
        assertThat(scripts.run(runLanes, "--newer-jdk=", "--list").output()).isEqualTo(always);
        assertThat(scripts.run(runLanes, "--newer-jdk=/jdk", "--permutations=", "--list").output())
                .isEqualTo(lanesThatRun(Set.of("always", "with-jdk25")));
        assertThat(scripts.run(runLanes, "--newer-jdk=/jdk", "--permutations=all", "--list").output())
                .isEqualTo(lanesThatRun(Set.of("always", "with-jdk25", "permuted")));
        assertThat(scripts.run(runLanes, "--thorough=true", "--list").output())
                .isEqualTo(lanesThatRun(Set.of("always", "thorough")));
        assertThat(scripts.run(runLanes, "--list", "netty-rc", "software-rc").output())
                .containsExactly("software-rc", "netty-rc");
        assertThat(scripts.run(runLanes, "--permutations=all").status()).isEqualTo(2);
        assertThat(scripts.run(runLanes, "no-lane").errors()).contains("no lane no-lane");
    }

    private List<String> lanesThatRun(Set<String> conditions) {
        return of("lane").filter(lane -> conditions.contains(lane.get(2))).map(lane -> lane.get(1)).toList();
    }

    private Stream<List<String>> of(String kind) {
        return lines.stream().filter(line -> line.get(0).equals(kind));
    }

    private Set<String> names(String kind, String... others) {
        return Stream.concat(of(kind).map(line -> line.get(1)), Arrays.stream(others)).collect(toSet());
    }

    private String value(String kind, String name) {
        return of(kind).filter(line -> line.get(1).equals(name)).findFirst().orElseThrow().get(2);
    }

    private static List<List<String>> read() {
        try (Stream<String> lines = Files.lines(ScriptTree.ROOT.resolve("testsuite/lanes/table"))) {
            return lines.filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> List.of(line.trim().split(" +"))).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
