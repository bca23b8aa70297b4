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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** What the modules export, and what docs/api.md says about it. */
final class PublicApi {

    private static final List<Path> SOURCES = List.of(ProjectTree.directory("transport-rdma/src/main/java"),
            ProjectTree.directory("transport-efa/src/main/java"));
    private static final String PAGE = read(ProjectTree.directory("docs").resolve("api.md"));
    private static final Pattern ROW = Pattern.compile("^\\| `(io\\.nettyrdma[.\\w]*)` \\| (.*) \\|$",
            Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    /** Of every module, and not only of one that is named. */
    private static final Pattern EXPORT = Pattern.compile("exports (\\S+);");
    private static final Pattern PUBLIC = Pattern.compile("^public (?:abstract |final |sealed )*"
            + "(?:class|enum|interface|record|@interface) (\\w+)", Pattern.MULTILINE);

    private PublicApi() {
    }

    /** Each public type of an exported package, and its source. */
    static Map<String, Path> exported() {
        Map<String, Path> types = new TreeMap<>();
        for (Path sources : SOURCES) {
            for (Matcher export = EXPORT.matcher(read(sources.resolve("module-info.java"))); export.find();) {
                Path directory = sources.resolve(export.group(1).replace('.', '/'));
                for (Path file : SourceTree.files(directory, ".java")) {
                    Matcher declared = PUBLIC.matcher(read(file));
                    if (file.getParent().equals(directory) && declared.find()) {
                        types.put(export.group(1) + '.' + declared.group(1), file);
                    }
                }
            }
        }
        return types;
    }

    static Set<String> stable() {
        return listed("Stable");
    }

    static Set<String> unstable() {
        return listed("Unstable");
    }

    static Set<String> unstableMembers() {
        return listed("Unstable members");
    }

    /** The names below a heading of the page, each behind that of its package or type. */
    private static Set<String> listed(String heading) {
        Set<String> names = new TreeSet<>();
        String section = PAGE.split("\n## " + heading + "\n")[1].split("\n## ")[0];
        for (MatchResult row : ROW.matcher(section).results().toList()) {
            for (MatchResult name : NAME.matcher(row.group(2)).results().toList()) {
                assertThat(names.add(row.group(1) + '.' + name.group(1))).as(name.group(1)).isTrue();
            }
        }
        return names;
    }

    static Class<?> load(String name) {
        try {
            return Class.forName(name, false, PublicApi.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
