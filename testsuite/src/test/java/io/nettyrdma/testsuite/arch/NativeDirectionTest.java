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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** The same for the C code of the shim: which directory may include which, and which may call what. */
class NativeDirectionTest {

    private static final Path ROOT = ProjectTree.directory("transport-rdma-native/src/main/c");

    /**
     * Which directories, or single files of them, a directory may include besides its own. Nouns are independent of
     * each other, with two exceptions: verbs creates what the data path works on, and rdma_cm uses queue pairs and
     * addresses.
     */
    private static final Map<String, Set<String>> INCLUDES = Map.of(
            "abi", Set.of(),
            "load", Set.of("abi"),
            "datapath", Set.of("abi", "load", "jni/nrdma_jni.h"),
            "memory", Set.of("jni/nrdma_jni.h"),
            "verbs", Set.of("abi", "load", "jni/nrdma_jni.h", "datapath/nrdma_datapath.h"),
            "cm", Set.of("abi", "load", "jni/nrdma_jni.h", "verbs/nrdma_queue_pair.h", "verbs/nrdma_address_handle.h"),
            "efa", Set.of("abi", "load", "jni/nrdma_jni.h"),
            "jni", Set.of("abi", "load", "memory", "verbs", "datapath", "cm", "efa"));

    /** Headers that the build provides. */
    private static final Set<String> FOREIGN = Set.of("netty_jni_util.h");

    private static final IncludeGraph GRAPH = new IncludeGraph(ROOT, FOREIGN);

    private static final Pattern DYNAMIC_LOADING =
            Pattern.compile("\\bdl(?:m?open|v?sym|close|error|addr|info)\\s*\\(");
    private static final Pattern JNI_CALL = Pattern.compile("\\(\\s*\\*\\s*env\\s*\\)\\s*->");

    @Test
    void directoriesIncludeOnlyWhatTheTableAllows() {
        List<String> violations = new ArrayList<>();
        GRAPH.files().forEach((file, headers) -> {
            String directory = GRAPH.directoryOf(file);
            Set<String> allowed = INCLUDES.get(directory);
            if (allowed == null) {
                violations.add(file + ": the directory " + directory + " is not in the table");
                return;
            }
            headers.stream().filter(header -> !allows(directory, allowed, header))
                    .forEach(header -> violations.add(file + ": includes " + header));
        });
        assertThat(violations).isEmpty();
    }

    @Test
    void filesHaveNoIncludeCycle() {
        assertThat(GRAPH.circles()).isEmpty();
    }

    @Test
    void onlyTheLoaderLoads() {
        assertThat(directoriesWith(DYNAMIC_LOADING)).containsExactly("load");
    }

    @Test
    void dataPathDoesNotCallTheJvm() {
        assertThat(directoriesWith(JNI_CALL)).contains("jni").doesNotContain("datapath");
    }

    private static boolean allows(String directory, Set<String> allowed, String header) {
        Path found = ROOT.resolve(header);
        return GRAPH.files().containsKey(found) && (GRAPH.directoryOf(found).equals(directory)
                || allowed.contains(GRAPH.directoryOf(found))
                || allowed.contains(header));
    }

    private static Set<String> directoriesWith(Pattern pattern) {
        Set<String> directories = new TreeSet<>();
        for (Path file : SourceTree.files(ROOT, ".c", ".h")) {
            if (pattern.matcher(SourceTree.code(file)).find()) {
                directories.add(GRAPH.directoryOf(file));
            }
        }
        return directories;
    }
}
