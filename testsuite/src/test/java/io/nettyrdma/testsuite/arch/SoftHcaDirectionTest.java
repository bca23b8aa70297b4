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

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** Which folders of the software device may include which, from the bottom up. docs/softhca.md describes each. */
class SoftHcaDirectionTest {

    private static final Path ROOT = ProjectTree.directory("transport-rdma-native/src/softhca/c");
    private static final IncludeGraph GRAPH = new IncludeGraph(ROOT, Set.of());

    /** Every folder with all that it includes. A folder may include only those listed before it. */
    private static final Map<String, Set<String>> INCLUDES = includes();

    /** A folder declares what it needs of folders above it in a header with this suffix, and they define it. */
    private static final String UPCALLS = "_upcalls.h";

    private static final Pattern DECLARATION =
            Pattern.compile("(?m)^(?!static|typedef|#)\\w[^;{}#=()]*?\\b((?:shca|softhca)_\\w+)\\([^;{}]*\\);");
    private static final Pattern DEFINITION =
            Pattern.compile("(?m)^(?!static|#)\\w[^;{}#=()]*?\\b((?:shca|softhca)_\\w+)\\([^;{}]*\\)\\n\\{");

    private static Map<String, Set<String>> includes() {
        Map<String, Set<String>> includes = new LinkedHashMap<>();
        includes.put("base", Set.of());
        includes.put("personality", Set.of("base"));
        includes.put("fault", Set.of("base"));
        includes.put("registry", Set.of("base", "personality"));
        includes.put("wire", Set.of("base", "fault", "registry"));
        includes.put("device", Set.of("base", "personality", "wire"));
        includes.put("memory", Set.of("base", "personality", "fault", "device"));
        includes.put("queue", Set.of("base", "personality", "fault", "wire", "device", "memory"));
        includes.put("address", Set.of("base", "personality", "fault", "device", "memory", "queue"));
        includes.put("queue_pair",
                Set.of("base", "personality", "fault", "registry", "wire", "device", "memory", "queue", "address"));
        includes.put("transport/rc",
                Set.of("base", "personality", "fault", "registry", "wire", "device", "memory", "queue_pair"));
        includes.put("transport/srd",
                Set.of("base", "personality", "fault", "registry", "wire", "device", "memory", "queue", "address",
                        "queue_pair"));
        includes.put("transport/ud",
                Set.of("base", "personality", "registry", "wire", "device", "memory", "address", "queue_pair",
                        "transport/srd"));
        includes.put("transport", Set.of("personality", "queue_pair", "transport/rc", "transport/srd", "transport/ud"));
        includes.put("cm", Set.of("base", "personality", "fault", "registry", "wire", "device", "queue_pair"));
        includes.put("cm/api", Set.of("base", "fault", "cm"));
        includes.put("abi",
                Set.of("base", "personality", "fault", "registry", "wire", "device", "address", "queue_pair", "cm"));
        return includes;
    }

    @Test
    void foldersIncludeWhatTheTableSays() {
        assertThat(GRAPH.directories()).isEqualTo(INCLUDES);
    }

    @Test
    void arrowsOnlyGoDown() {
        Set<String> below = new HashSet<>();
        INCLUDES.forEach((folder, included) -> {
            assertThat(below).as("below " + folder).containsAll(included);
            below.add(folder);
        });
    }

    @Test
    void noFileComesBackToItself() {
        assertThat(GRAPH.circles()).isEmpty();
    }

    @Test
    void headersDeclareWhatTheirOwnFolderDefines() {
        Map<String, String> definedIn = new HashMap<>();
        GRAPH.files().keySet().forEach(file -> {
            for (Matcher definition = DEFINITION.matcher(SourceTree.code(file)); definition.find();) {
                definedIn.put(definition.group(1), GRAPH.directoryOf(file));
            }
        });
        List<String> violations = new ArrayList<>();
        int declarations = 0;
        for (Path file : SourceTree.files(ROOT, ".h")) {
            boolean isUp = file.toString().endsWith(UPCALLS);
            for (Matcher declared = DECLARATION.matcher(SourceTree.code(file)); declared.find(); declarations++) {
                String folder = definedIn.get(declared.group(1));
                if (folder == null || folder.equals(GRAPH.directoryOf(file)) == isUp) {
                    violations.add(file + ": declares " + declared.group(1) + ", which is defined in " + folder);
                }
            }
        }
        assertThat(violations).isEmpty();
        assertThat(declarations).as("declarations that were found").isGreaterThan(200);
    }
}
