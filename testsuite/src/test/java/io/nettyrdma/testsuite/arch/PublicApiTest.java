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
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Every public type of an exported package is on exactly one list in docs/api.md, and every listed type exists. */
class PublicApiTest {

    private static final Path PAGE = ProjectTree.directory("docs").resolve("api.md");
    private static final List<Path> SOURCES = List.of(ProjectTree.directory("transport-rdma/src/main/java"),
            ProjectTree.directory("transport-efa/src/main/java"));
    private static final Pattern ROW =
            Pattern.compile("^\\| `(io\\.nettyrdma[.a-z]*)` \\| (.*) \\|$", Pattern.MULTILINE);
    private static final Pattern TYPE = Pattern.compile("`(\\w+)`");
    private static final Pattern EXPORT = Pattern.compile("exports (\\S+);");
    private static final Pattern PUBLIC = Pattern.compile("^public (?:abstract |final |sealed )*"
            + "(?:class|enum|interface|record|@interface) (\\w+)", Pattern.MULTILINE);

    @Test
    void listsHaveEveryPublicType() throws IOException {
        assertThat(listed()).isEqualTo(exported());
    }

    private static Set<String> listed() throws IOException {
        Set<String> types = new TreeSet<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            Matcher type = TYPE.matcher(row.group(2));
            while (type.find()) {
                String name = row.group(1) + '.' + type.group(1);
                assertThat(types.add(name)).as("%s is listed once", name).isTrue();
            }
        }
        return types;
    }

    private static Set<String> exported() throws IOException {
        Set<String> types = new TreeSet<>();
        for (Path sources : SOURCES) {
            addExported(sources, types);
        }
        return types;
    }

    private static void addExported(Path sources, Set<String> types) throws IOException {
        Matcher export = EXPORT.matcher(Files.readString(sources.resolve("module-info.java")));
        while (export.find()) {
            try (Stream<Path> files = Files.list(sources.resolve(export.group(1).replace('.', '/')))) {
                for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    Matcher declared = PUBLIC.matcher(Files.readString(file));
                    if (declared.find()) {
                        types.add(export.group(1) + '.' + declared.group(1));
                    }
                }
            }
        }
    }
}
