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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Text and names have none of the private words in docs/glossary.md, and test names begin with their subject. */
class WordsTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    private static final Path GLOSSARY = ROOT.resolve("docs/glossary.md");

    /** What is checked besides pages, wherever these are: files and directories. */
    private static final List<String> ROOTS = List.of(".ci", "agent", "bin", "example-echo", "frameworks",
            "integrations", "jars", "microbench", "programs", "rdma-info", "rdma-top", "site", "spark-demo", "stress",
            "testsuite", "transport-efa", "transport-rdma", "transport-rdma-native");

    /** A row of the table: words, replacement, allowed phrases. */
    private static final Pattern ROW = Pattern.compile("^\\| (`[^|]*`) \\| ([^|]+) \\| ([^|]*)\\|$", Pattern.MULTILINE);

    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

    /** The parts of a name in camel case begin with a capital. */
    private static final Pattern PART_OF_NAME = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    private static final Pattern TEST = Pattern.compile("@(?:Test|ParameterizedTest|EachVariant)\\b"
            + "[^{;]*?\\s(\\w+)\\(");

    private static final Pattern NO_SUBJECT = Pattern.compile("(?:what|who)(?:ever)?(?![a-z]).*");

    private record Rule(Pattern words, String replacement, Pattern allowed) { }

    private static List<Rule> rules;

    @BeforeAll
    static void readGlossary() throws IOException {
        rules = ROW.matcher(Files.readString(GLOSSARY)).results().map(WordsTest::rule).toList();
        assertThat(rules).as("rows of the table in " + GLOSSARY).hasSizeGreaterThan(5);
    }

    @Test
    void textHasNoPrivateWords() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : SourceTree.all(ROOT)) {
            if (isChecked(file)) {
                check(file, found);
            }
        }
        assertThat(found).as("private words, see docs/glossary.md").isEmpty();
    }

    @Test
    void testNamesBeginWithASubject() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : SourceTree.all(ROOT)) {
            if (file.toString().endsWith("Test.java")) {
                TEST.matcher(Files.readString(file)).results().map(test -> test.group(1))
                        .filter(name -> NO_SUBJECT.matcher(name).matches())
                        .forEach(name -> found.add(ROOT.relativize(file) + ": " + name));
            }
        }
        assertThat(found).as("test names without a subject").isEmpty();
    }

    private static Rule rule(MatchResult row) {
        return new Rule(phrases(row.group(1)), row.group(2), phrases(row.group(3)));
    }

    /** Matches any of the quoted words or phrases, also across the line break of a comment. Null without any. */
    private static Pattern phrases(String cell) {
        String any = QUOTED.matcher(cell).results().map(quoted -> quoted.group(1).replace(" ", "[\\s*/#]+"))
                .collect(Collectors.joining("|"));
        return any.isEmpty() ? null : Pattern.compile("\\b(?:" + any + ")\\b", Pattern.CASE_INSENSITIVE);
    }

    private static boolean isChecked(Path file) {
        Path path = ROOT.relativize(file);
        return !file.equals(GLOSSARY)
                && (path.toString().endsWith(".md") || ROOTS.stream().anyMatch(root -> path.startsWith(Path.of(root))));
    }

    private static void check(Path file, List<String> found) throws IOException {
        Path path = ROOT.relativize(file);
        check(parts(path.toString()), 0, path, found);
        check(parts(Files.readString(file)), 1, path, found);
    }

    /** With the parts of names as words of their own. Line breaks stay where they are. */
    private static String parts(String text) {
        return PART_OF_NAME.matcher(text).replaceAll(" ").replace('_', ' ');
    }

    private static void check(String text, int line, Path path, List<String> found) {
        for (Rule rule : rules) {
            String rest = rule.allowed == null ? text : blank(text, rule.allowed);
            Matcher word = rule.words.matcher(rest);
            while (word.find()) {
                long at = line + rest.substring(0, word.start()).chars().filter(c -> c == '\n').count();
                found.add(path + ":" + at + ": " + word.group().replaceAll("\\s+", " ") + ", use: " + rule.replacement);
            }
        }
    }

    private static String blank(String text, Pattern phrase) {
        return phrase.matcher(text).replaceAll(match -> Arrays.stream(match.group().split("\n", -1))
                .map(line -> " ".repeat(line.length())).collect(Collectors.joining("\n")));
    }
}
