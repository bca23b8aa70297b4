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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** Links between pages lead to a file and a heading, and sources name pages that exist. */
class PagesTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();

    private static final Path DECISIONS = ROOT.resolve("docs/decisions");

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");

    /** A link to another host or a mail address. */
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

    private static final Pattern HEADING = Pattern.compile("^#+ +(.*)$", Pattern.MULTILINE);

    private static final Pattern CODE_BLOCK = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);

    /** A path below docs in a source file; decisions may be named by their number alone. */
    private static final Pattern PAGE = Pattern.compile("\\bdocs/([a-z][\\w./-]*\\w)");

    /** The name of a test, and maybe of its method. */
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)(?:\\.(\\w+))?`");

    private static final Pattern SITE = Pattern.compile("<a href=\"(https://[^\"]+)/docs/");

    /** A row of the table of decisions: file, title. */
    private static final Pattern DECISION = Pattern.compile("^\\| \\[\\d+\\]\\((\\S+)\\) \\| ([^|]*) \\|",
            Pattern.MULTILINE);

    @Test
    void everyLinkHasATarget() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages()) {
            Matcher link = LINK.matcher(withoutCode(page));
            while (link.find()) {
                String target = link.group(1);
                if (!ELSEWHERE.matcher(target).matches() && !exists(page, target)) {
                    dead.add(ROOT.relativize(page) + ": " + target);
                }
            }
        }
        assertThat(dead).as("links that lead nowhere").isEmpty();
    }

    /** The index is the navigation of the site. */
    @Test
    void indexListsEveryPage() throws IOException {
        Path docs = ROOT.resolve("docs");
        Set<Path> listed = new HashSet<>();
        LINK.matcher(Files.readString(docs.resolve("README.md"))).results()
                .forEach(link -> listed.add(docs.resolve(link.group(1)).normalize()));
        List<Path> pages = pages().stream().filter(page -> page.startsWith(docs) && !page.startsWith(DECISIONS)
                && !page.endsWith("docs/README.md")).toList();
        assertThat(pages).as("pages of docs").isNotEmpty().allMatch(listed::contains, "listed in docs/README.md");
    }

    @Test
    void everyPageNamedInASourceExists() throws IOException {
        List<String> missing = new ArrayList<>();
        List<Path> decisions = SourceTree.all(DECISIONS);
        for (Path source : SourceTree.all(ROOT)) {
            Matcher name = PAGE.matcher(Files.readString(source));
            while (name.find()) {
                Path page = ROOT.resolve("docs").resolve(name.group(1).replaceFirst("\\.html$", ".md"));
                boolean isDecision = decisions.stream().anyMatch(each -> each.toString().startsWith(page + "-"));
                if (!Files.exists(page) && !isDecision) {
                    missing.add(ROOT.relativize(source) + ": " + name.group());
                }
            }
        }
        assertThat(missing).as("pages that do not exist").isEmpty();
    }

    /** Where a reader of a jar of Javadoc finds the pages. */
    @Test
    void linksOfJavadocLeadToTheSiteInThePom() throws IOException {
        Set<String> sites = new HashSet<>();
        for (Path source : SourceTree.all(ROOT)) {
            if (source.toString().contains("/src/main/java/")) {
                SITE.matcher(Files.readString(source)).results().forEach(link -> sites.add(link.group(1)));
            }
        }
        assertThat(sites).hasSize(1);
        assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<url>" + sites.iterator().next() + "</url>");
    }

    @Test
    void everyTestNamedByAPageExists() throws IOException {
        Map<String, String> tests = new HashMap<>();
        for (Path source : SourceTree.all(ROOT)) {
            String name = source.getFileName().toString();
            if (name.endsWith("Test.java")) {
                tests.merge(name.substring(0, name.length() - ".java".length()), Files.readString(source),
                        String::concat);
            }
        }
        List<String> missing = new ArrayList<>();
        for (Path page : pages()) {
            if (page.endsWith("docs/testing.md")) {
                continue;   // It also names tests of rdma-core and of others.
            }
            TEST.matcher(Files.readString(page)).results()
                    .filter(test -> !tests.getOrDefault(test.group(1), "").contains(test.group(2) == null
                            ? "class " + test.group(1) + ' ' : ' ' + test.group(2) + '('))
                    .forEach(test -> missing.add(ROOT.relativize(page) + ": " + test.group()));
        }
        assertThat(missing).as("tests that do not exist").isEmpty();
    }

    @Test
    void tableOfDecisionsHasEveryTitle() throws IOException {
        List<String> rows = DECISION.matcher(Files.readString(DECISIONS.resolve("README.md"))).results()
                .map(row -> row.group(1) + ": " + row.group(2)).toList();
        List<String> titles = new ArrayList<>();
        for (Path page : SourceTree.all(DECISIONS)) {
            if (!page.endsWith("README.md")) {
                String heading = Files.readString(page).lines().findFirst().orElseThrow();
                titles.add(page.getFileName() + ": " + heading.replaceFirst("# \\d+\\. ", ""));
            }
        }
        assertThat(rows).isEqualTo(titles);
    }

    private static boolean exists(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        return Files.exists(file) && (hash < 0 || anchors(file).contains(target.substring(hash + 1)));
    }

    /** The anchors that GitHub gives the headings of a page. */
    private static Collection<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Matcher heading = HEADING.matcher(withoutCode(page));
        while (heading.find()) {
            String anchor = heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\w\\s-]", "").replace(' ', '-');
            String unique = anchor;
            for (int n = 1; !anchors.add(unique); n++) {
                unique = anchor + '-' + n;
            }
        }
        return anchors;
    }

    private static String withoutCode(Path page) throws IOException {
        return CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
    }

    private static List<Path> pages() throws IOException {
        return SourceTree.all(ROOT).stream().filter(file -> file.toString().endsWith(".md")).toList();
    }
}
