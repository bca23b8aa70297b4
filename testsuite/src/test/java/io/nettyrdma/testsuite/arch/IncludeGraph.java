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

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which C file of a source tree includes which. An include has the directory and the file, as in {@code
 * "wire/shca_link.h"}. A {@code .c} and the {@code .h} of the same name are one node.
 */
final class IncludeGraph {

    private static final Pattern INCLUDE = Pattern.compile("(?m)^[ \t]*#[ \t]*include[ \t]*\"([^\"]+)\"");

    private final Path root;
    private final Map<Path, Set<String>> includes = new TreeMap<>();

    /**
     * @param foreign headers that are not of this tree
     */
    IncludeGraph(Path root, Set<String> foreign) {
        this.root = root;
        for (Path file : SourceTree.files(root, ".c", ".h")) {
            Set<String> headers = new TreeSet<>();
            for (Matcher include = INCLUDE.matcher(SourceTree.code(file)); include.find();) {
                if (!foreign.contains(include.group(1))) {
                    headers.add(include.group(1));
                }
            }
            includes.put(file, headers);
        }
    }

    /** Every file, with the headers of this tree that it includes. */
    Map<Path, Set<String>> files() {
        return includes;
    }

    /** The directory of a file, as a path below the root: "wire", "transport/rc". */
    String directoryOf(Path file) {
        return directoryOf(root.relativize(file).toString());
    }

    /** Which directory includes which others. */
    Map<String, Set<String>> directories() {
        Map<String, Set<String>> arrows = new TreeMap<>();
        includes.forEach((file, headers) -> {
            String directory = directoryOf(file);
            Set<String> targets = arrows.computeIfAbsent(directory, key -> new TreeSet<>());
            headers.stream().map(IncludeGraph::directoryOf).filter(other -> !other.equals(directory))
                    .forEach(targets::add);
        });
        return arrows;
    }

    /** The cycles through files, one for each file that is in one. */
    List<String> circles() {
        Map<String, Set<String>> nodes = new TreeMap<>();
        includes.forEach((file, headers) -> {
            String node = stem(root.relativize(file).toString());
            Set<String> targets = nodes.computeIfAbsent(node, key -> new TreeSet<>());
            headers.stream().map(IncludeGraph::stem).filter(other -> !other.equals(node)).forEach(targets::add);
        });
        List<String> circles = new ArrayList<>();
        nodes.keySet().forEach(node -> findWayBack(node, nodes, circles));
        return circles;
    }

    private static void findWayBack(String start, Map<String, Set<String>> nodes, List<String> circles) {
        Set<String> seen = new LinkedHashSet<>();
        Deque<List<String>> ways = new ArrayDeque<>();
        ways.add(List.of(start));
        while (!ways.isEmpty()) {
            List<String> way = ways.remove();
            for (String next : nodes.getOrDefault(way.get(way.size() - 1), Set.of())) {
                List<String> longer = new ArrayList<>(way);
                longer.add(next);
                if (next.equals(start)) {
                    circles.add(String.join(" -> ", longer));
                    return;
                }
                if (seen.add(next)) {
                    ways.add(longer);
                }
            }
        }
    }

    private static String directoryOf(String header) {
        int slash = header.lastIndexOf('/');
        return slash < 0 ? "" : header.substring(0, slash);
    }

    private static String stem(String file) {
        return file.substring(0, file.lastIndexOf('.'));
    }
}
