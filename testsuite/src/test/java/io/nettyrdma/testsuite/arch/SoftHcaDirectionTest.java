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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which folders of the software device may include and call which, from the bottom up. docs/softhca.md describes each.
 */
class SoftHcaDirectionTest {

    private static final Path ROOT = ProjectTree.directory("transport-rdma-native/src/softhca/c");
    private static final IncludeGraph GRAPH = new IncludeGraph(ROOT, Set.of());

    /** Every folder with all that it includes. A folder may include only those listed before it. */
    private static final Map<String, Set<String>> INCLUDES = includes();

    /** The one header that declares what folders above define. It has all calls that go up. */
    private static final Path UPCALLS = ROOT.resolve("base/shca_upcalls.h");
    private static final int MAX_UPCALLS = 5;

    /** Connection management opens the device as a program does, by functions that are above it. */
    private static final Map<String, Set<String>> PROGRAM_CALLS = Map.of("cm",
            Set.of("ibv_get_device_list", "ibv_free_device_list", "ibv_open_device", "ibv_close_device"));

    private static final int MAX_LINES = 500;

    private static final Pattern DECLARATION =
            Pattern.compile("(?m)^(?!static|typedef|#)\\w[^;{}#=()]*?\\b((?:shca|softhca)_\\w+)\\([^;{}]*\\);");
    /** Of exported functions, too; some have their names in parentheses, because a header has macros with them. */
    private static final Pattern DEFINITION =
            Pattern.compile("(?m)^(?!static|#)\\w[^;{}#=]*?\\b\\(?(\\w+)\\)?\\([^;{}]*\\)\\n\\{");
    private static final Pattern LITERAL = Pattern.compile("\"(?:\\\\.|[^\"\\\\\n])*\"");
    private static final Pattern NAME = Pattern.compile("\\b[a-z]\\w+\\b");

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
        includes.put("transport",
                Set.of("base", "personality", "queue_pair", "transport/rc", "transport/srd", "transport/ud"));
        includes.put("cm", Set.of("base", "personality", "fault", "registry", "wire", "device", "queue_pair"));
        includes.put("cm/api", Set.of("base", "fault", "cm"));
        includes.put("progress",
                Set.of("base", "fault", "registry", "wire", "device", "queue_pair", "transport", "cm"));
        includes.put("abi",
                Set.of("base", "personality", "fault", "registry", "wire", "device", "queue", "address",
                        "queue_pair", "transport", "cm", "progress"));
        return includes;
    }

    @Test
    void includesMatchTheTable() {
        assertThat(GRAPH.directories()).isEqualTo(INCLUDES);
    }

    @Test
    void includesPointDownwards() {
        Set<String> below = new HashSet<>();
        INCLUDES.forEach((folder, included) -> {
            assertThat(below).as("below " + folder).containsAll(included);
            below.add(folder);
        });
    }

    @Test
    void filesHaveNoIncludeCycle() {
        assertThat(GRAPH.circles()).isEmpty();
    }

    @Test
    void headersDeclareWhatTheirOwnFolderDefines() {
        Map<String, String> definedIn = definitions();
        List<String> violations = new ArrayList<>();
        int count = 0;
        for (Path file : SourceTree.files(ROOT, ".h")) {
            for (String function : declarations(file)) {
                String folder = definedIn.get(function);
                if (folder == null || folder.equals(GRAPH.directoryOf(file)) == file.equals(UPCALLS)) {
                    violations.add(file + ": declares " + function + ", which is defined in " + folder);
                }
                count++;
            }
        }
        assertThat(violations).isEmpty();
        assertThat(count).as("declarations that were found").isGreaterThan(200);
    }

    /**
     * Every name of a function of another folder counts as a call, because its address may be taken. A prototype in the
     * middle of a file does not get past this.
     */
    @Test
    void callsFollowTheTableOrAreUpcalls() {
        Map<String, String> definedIn = definitions();
        List<String> order = List.copyOf(INCLUDES.keySet());
        Set<String> upcalls = declarations(UPCALLS);
        List<String> violations = new ArrayList<>();
        int calls = 0;
        for (Path file : SourceTree.files(ROOT, ".c")) {
            String caller = GRAPH.directoryOf(file);
            for (String name : names(file)) {
                String called = definedIn.getOrDefault(name, caller);
                if (called.equals(caller)) {
                    continue;
                }
                calls++;
                boolean isBelow = order.indexOf(called) < order.indexOf(caller);
                boolean isOurs = name.startsWith("shca_");
                if (isOurs ? !INCLUDES.get(caller).contains(called) && !upcalls.contains(name)
                        : !isBelow && !PROGRAM_CALLS.getOrDefault(caller, Set.of()).contains(name)) {
                    violations.add(file + ": calls " + name + " of " + called);
                }
            }
        }
        assertThat(violations).isEmpty();
        assertThat(calls).as("calls that were found").isGreaterThan(300);
    }

    @Test
    void upcallsAreFewAndGoUp() {
        Map<String, String> definedIn = definitions();
        List<String> order = List.copyOf(INCLUDES.keySet());
        Set<String> upcalls = declarations(UPCALLS);
        assertThat(upcalls).hasSizeBetween(1, MAX_UPCALLS);
        for (String upcall : upcalls) {
            assertThat(GRAPH.files().keySet()).as("callers of " + upcall).anyMatch(file -> names(file).contains(upcall)
                    && order.indexOf(GRAPH.directoryOf(file)) < order.indexOf(definedIn.get(upcall)));
        }
    }

    /** Those of the shim, of tests and of drivers, too. */
    @Test
    void filesAreShort() {
        Path all = ProjectTree.directory("transport-rdma-native/src");
        assertThat(SourceTree.files(all, ".c", ".h")).allSatisfy(file -> assertThat(file).content().satisfies(
                text -> assertThat(text.lines().count()).isLessThanOrEqualTo(MAX_LINES)));
    }

    /** The folder of each function that other files can call. */
    private static Map<String, String> definitions() {
        Map<String, String> definedIn = new HashMap<>();
        for (Path file : SourceTree.files(ROOT, ".c")) {
            for (Matcher definition = DEFINITION.matcher(SourceTree.code(file)); definition.find();) {
                definedIn.put(definition.group(1), GRAPH.directoryOf(file));
            }
        }
        return definedIn;
    }

    private static Set<String> declarations(Path header) {
        Set<String> functions = new LinkedHashSet<>();
        for (Matcher declared = DECLARATION.matcher(SourceTree.code(header)); declared.find();) {
            functions.add(declared.group(1));
        }
        return functions;
    }

    private static Set<String> names(Path file) {
        Set<String> names = new HashSet<>();
        String code = LITERAL.matcher(SourceTree.code(file)).replaceAll("");
        for (Matcher name = NAME.matcher(code); name.find();) {
            names.add(name.group());
        }
        return names;
    }
}
