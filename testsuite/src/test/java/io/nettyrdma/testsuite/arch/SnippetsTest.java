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
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Java snippets of the pages for programmers compile; an expression counts as a statement. Those of the guide are parts
 * of programs that GuideTest and DatagramGuideTest run.
 */
class SnippetsTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();
    private static final List<String> PAGES = List.of("README.md", "docs/one-port.md", "docs/tuning.md",
            "docs/verbs.md");
    private static final String GUIDE = "docs/guide.md";
    private static final Path GUIDE_PROGRAMS = ROOT.resolve("testsuite/src/test/java/io/nettyrdma/testsuite/guide");
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    /** A comment at the end of a line. */
    private static final Pattern COMMENT = Pattern.compile("\\s*//.*$", Pattern.MULTILINE);
    private static final List<String> IMPORTS = List.of("java.nio.ByteBuffer", "io.netty.bootstrap.*",
            "io.netty.channel.*", "io.nettyrdma.buffer.*", "io.nettyrdma.channel.*",
            "io.nettyrdma.fallback.*", "io.nettyrdma.io.*", "io.nettyrdma.verbs.*");

    @TempDir
    private static Path directory;

    @TestFactory
    Stream<DynamicTest> snippetsCompile() throws IOException {
        List<DynamicTest> tests = new ArrayList<>();
        for (String page : PAGES) {
            List<String> snippets = SNIPPET.matcher(Files.readString(ROOT.resolve(page))).results()
                    .map(SnippetsTest::code).toList();
            assertThat(snippets).as(page).isNotEmpty();
            snippets.forEach(code -> tests.add(DynamicTest.dynamicTest(page + ": "
                    + code.lines().findFirst().orElseThrow(), () -> compile(code))));
        }
        return tests.stream();
    }

    @Test
    void snippetsOfTheGuideAreThoseThatAreRun() throws IOException {
        List<String> programs = new ArrayList<>();
        for (Path file : SourceTree.all(GUIDE_PROGRAMS)) {
            programs.add('\n' + withoutIndentation(Files.readString(file)) + '\n');
        }
        List<String> snippets = SNIPPET.matcher(Files.readString(ROOT.resolve(GUIDE))).results()
                .map(snippet -> withoutIndentation(snippet.group(1))).toList();
        assertThat(snippets).isNotEmpty()
                .allMatch(snippet -> programs.stream().anyMatch(program -> program.contains('\n' + snippet + '\n')));
    }

    private static String withoutIndentation(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }

    private static String code(MatchResult snippet) {
        String code = COMMENT.matcher(snippet.group(1)).replaceAll("").strip();
        return code.endsWith(";") || code.endsWith("}") ? code : code + ';';
    }

    private static void compile(String code) throws IOException {
        StringBuilder source = new StringBuilder();
        IMPORTS.forEach(each -> source.append("import ").append(each).append(";\n"));
        source.append("class Snippet {\nvoid run() throws Exception {\n").append(code).append("\n}\n}\n");
        Path file = Files.writeString(directory.resolve("Snippet.java"), source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = compiler.run(null, null, errors, "-d", directory.toString(), "-proc:none", "-cp",
                System.getProperty("java.class.path"), file.toString());
        assertThat(status).as(errors.toString(StandardCharsets.UTF_8)).isZero();
    }
}
