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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** Which package may use which. The table is the architecture: changing it is a decision, not a repair of this test. */
class ImportDirectionTest {

    private static final String ROOT = "io.nettyrdma";
    private static final String NO_NETTY = "(?!)";
    private static final String UTIL = "util\\..*";
    /** The package that every other one may use. */
    private static final String ANNOTATION = "annotation";
    private static final String BUFFER = UTIL + "|buffer\\..*";

    /**
     * Which of our packages a package may use, and which classes of Netty (a pattern of what follows {@code
     * io.netty.}). {@code io}, {@code stream} and {@code datagram} never see a Channel, so they can be tested without
     * one.
     */
    private static final Map<String, Rule> RULES = Map.ofEntries(
            rule(ANNOTATION, NO_NETTY),
            rule("metrics", NO_NETTY),
            rule("recorder", NO_NETTY),
            rule("pipeline", UTIL + "|channel\\..*"),
            rule("protocol", "buffer\\..*"),
            rule("jni", UTIL),
            rule("verbs", UTIL, "jni", "metrics"),
            rule("", UTIL + "|channel\\.(epoll\\.Epoll|IoHandler)\\b.*", "jni", "verbs", "cm"),
            rule("cm", UTIL, "jni", "verbs"),
            rule("buffer", BUFFER, "jni", "verbs", "metrics"),
            rule("memory", BUFFER, "verbs", "buffer", "metrics", "remote"),
            rule("io", BUFFER + "|channel\\.(?!\\w*Channel\\b).*", "", "verbs", "cm", "buffer", "memory", "metrics",
                    "recorder"),
            rule("remote", BUFFER, "verbs", "buffer"),
            rule("stream", BUFFER + "|channel\\.(ChannelOutboundBuffer|FileRegion)\\b.*",
                    "verbs", "buffer", "memory", "protocol", "metrics", "remote", "recorder"),
            rule("link", BUFFER + "|channel\\.(ChannelOutboundBuffer|EventLoop|Io(Event|EventLoop|Registration))\\b.*",
                    "jni", "verbs", "cm", "buffer", "memory", "protocol", "metrics", "remote", "recorder", "io",
                    "stream"),
            rule("channel", ".*", "", "verbs", "buffer", "memory", "protocol", "metrics", "remote", "recorder",
                    "pipeline", "stream", "link", "datagram"),
            rule("datagram", BUFFER + "|channel\\.Io(Event|Registration)\\b.*",
                    "jni", "verbs", "buffer", "memory", "metrics", "remote", "io"),
            rule("fallback", UTIL + "|buffer\\..*|channel\\..*", "", "jni", "channel", "io", "pipeline", "recorder",
                    "verbs"),
            rule("efa", UTIL + "|channel\\.ChannelOption", "channel", "datagram", "verbs"));

    /** A fully qualified class name, in an import or anywhere else in the code. */
    private static final Pattern CLASS_NAME =
            Pattern.compile("\\bio\\.netty(?<ours>rdma)?\\.(?<package>(?:[a-z]\\w*\\.)*)(?<class>[A-Z]\\w*|\\*)");

    /** EFA, and its type of queue pair, as a word of a name. */
    private static final Pattern PROVIDER =
            Pattern.compile("(?<![a-zA-Z])efa(?![a-z])|Efa(?![a-z])|EFA|\\bSRD\\b");

    /** Packages that a link, or the engine of datagrams, hides from channels. */
    private static final Set<String> BELOW_CHANNELS = Set.of("verbs", "io", "cm", "jni", "protocol");
    /** Exceptions: values that programs see too, and what makes the text of a peer safe to show. */
    private static final Set<String> VALUES = Set.of("RdmaDeviceInfo", "MemoryAccess", "PeerText");

    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

    private record Rule(Set<String> ours, Pattern netty) { }

    private static Map.Entry<String, Rule> rule(String name, String netty, String... ours) {
        return Map.entry(name, new Rule(Set.of(ours), Pattern.compile(netty)));
    }

    @Test
    void packagesUseOnlyWhatTheTableAllows() {
        List<String> violations = new ArrayList<>();
        for (Path file : sources()) {
            String code = SourceTree.code(file);
            String name = packageOf(code, file);
            Rule rule = RULES.get(name);
            if (rule == null) {
                violations.add(file + ": the package " + ROOT + '.' + name + " is not in the table");
                continue;
            }
            for (Matcher use = CLASS_NAME.matcher(code); use.find();) {
                if (!allows(name, rule, use)) {
                    violations.add(file + ": uses " + use.group());
                }
            }
        }
        assertThat(violations).isEmpty();
    }

    /** See decisions 37 and 40. */
    @Test
    void channelsKnowNoDevice() {
        List<String> violations = new ArrayList<>();
        for (Path file : SourceTree.files(
                ProjectTree.directory("transport-rdma/src/main/java/io/nettyrdma/channel"), ".java")) {
            for (Matcher use = CLASS_NAME.matcher(SourceTree.code(file)); use.find();) {
                if (use.group("ours") != null && BELOW_CHANNELS.contains(usedPackage(use))
                        && !VALUES.contains(use.group("class"))) {
                    violations.add(file + ": uses " + use.group());
                }
            }
        }
        assertThat(violations).isEmpty();
    }

    /** What differs between devices comes to it as values: see decision 40. */
    @Test
    void theEngineOfDatagramsNamesNoProvider() {
        List<Path> engine = SourceTree.files(
                ProjectTree.directory("transport-rdma/src/main/java/io/nettyrdma/datagram"), ".java");
        assertThat(engine).filteredOn(file -> PROVIDER.matcher(SourceTree.code(file)).find()).isEmpty();
    }

    @Test
    void packagesHaveNoDependencyCycle() {
        Map<String, Set<String>> uses = new TreeMap<>();
        RULES.forEach((name, rule) -> uses.computeIfAbsent(name, key -> new TreeSet<>()).addAll(rule.ours()));
        for (Path file : sources()) {
            String code = SourceTree.code(file);
            String name = packageOf(code, file);
            for (Matcher use = CLASS_NAME.matcher(code); use.find();) {
                if (use.group("ours") != null && !usedPackage(use).equals(name)) {
                    uses.computeIfAbsent(name, key -> new TreeSet<>()).add(usedPackage(use));
                }
            }
        }
        // Removes nodes that depend on nothing that is left. Cycles remain.
        while (uses.values().removeIf(used -> used.stream().noneMatch(uses::containsKey))) {
            continue;
        }
        assertThat(uses).isEmpty();
    }

    private static boolean allows(String name, Rule rule, Matcher use) {
        if (use.group("ours") == null) {
            return rule.netty().matcher(use.group("package") + use.group("class")).matches();
        }
        String used = usedPackage(use);
        return used.equals(name) || used.equals(ANNOTATION) || rule.ours().contains(used);
    }

    private static String usedPackage(Matcher use) {
        String dotted = use.group("package");
        return dotted.isEmpty() ? "" : dotted.substring(0, dotted.length() - 1);
    }

    private static String packageOf(String code, Path file) {
        Matcher declaration = PACKAGE.matcher(code);
        assertThat(declaration.find()).as("package declaration of %s", file).isTrue();
        String name = declaration.group(1);
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    private static List<Path> sources() {
        List<Path> sources = new ArrayList<>();
        for (String module : List.of("transport-rdma", "transport-efa")) {
            sources.addAll(SourceTree.files(ProjectTree.directory(module + "/src/main/java"), ".java"));
        }
        sources.removeIf(file -> file.endsWith("module-info.java"));
        return sources;
    }
}
