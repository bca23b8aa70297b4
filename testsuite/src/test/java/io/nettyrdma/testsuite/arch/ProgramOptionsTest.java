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

import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A script answers {@code --help} from the comment at its top, because that needs no build, and a Java program reads
 * the options. Both must know the same.
 */
class ProgramOptionsTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    private static final List<String> MODULES = List.of("rdma-info", "rdma-top", "example-echo", "microbench",
            "testsuite", "integrations");

    private static final Pattern COMMAND = Pattern.compile("@Command\\(name = \"([^\"]+)\"");
    /** Long names alone: the field of {@code --help} is that of all programs. */
    private static final Pattern OPTION = Pattern.compile("@Option\\(names = \"(--[a-z-]+)\"");
    private static final Pattern WORD = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");
    private static final Pattern PARENT = Pattern.compile("class \\w+ extends (\\w+)");

    /** Options that the script itself takes. */
    private static final Set<String> OF_SCRIPTS = Set.of("bin/soak --no-build");

    @Test
    void helpOfScriptsNamesTheOptionsOfTheirPrograms() throws IOException {
        TreeMap<String, Path> programs = new TreeMap<>();
        for (String module : MODULES) {
            for (Path file : SourceTree.files(ROOT.resolve(module + "/src"), ".java")) {
                Matcher command = COMMAND.matcher(Files.readString(file));
                if (command.find() && !file.endsWith("ProgramOptionsTest.java")) {
                    programs.put(command.group(1), file);
                }
            }
        }
        assertThat(programs.keySet()).contains("rdma-info", "rdma-top", "bin/echo", "bin/efa-write",
                "bin/file-transfer", "bin/soak", "microbench/echo", "microbench/operations", "microbench/report",
                "microbench/frameworks", "microbench/idle-cost", "microbench/memory-cost", "microbench/control-cost",
                "microbench/many-connections", "microbench/first-connect");
        programs.forEach((name, file) -> assertThat(optionsOfProgram(file)).as("options of " + name)
                .isEqualTo(optionsOfScript(name.contains("/") ? name : "bin/" + name)));
    }

    private static Set<String> optionsOfScript(String script) {
        String help = read(ROOT.resolve(script)).lines().skip(3).takeWhile(line -> line.startsWith("#"))
                .collect(Collectors.joining("\n"));
        Set<String> options = found(WORD, help);
        options.removeIf(option -> option.equals("--help") || OF_SCRIPTS.contains(script + ' ' + option));
        return options;
    }

    private static Set<String> optionsOfProgram(Path file) {
        String code = read(file);
        Set<String> options = found(OPTION, code);
        // Options that two programs of a module have.
        PARENT.matcher(code).results().map(result -> file.getParent().resolveSibling(result.group(1) + ".java"))
                .filter(Files::exists).forEach(parent -> options.addAll(found(OPTION, read(parent))));
        return options;
    }

    private static Set<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(ProgramOptionsTest::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String name(MatchResult found) {
        return found.groupCount() == 0 ? found.group() : found.group(1);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
