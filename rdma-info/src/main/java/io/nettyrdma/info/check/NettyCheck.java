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
package io.nettyrdma.info.check;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Netty's version on the class path of this process: at least the oldest, and one for all of its artifacts. */
final class NettyCheck implements Check {

    private static final String NAME = "Netty";
    private static final String OLDEST = "4.2.0.Final";
    private static final String CURE = "take all of Netty from one version of its BOM, " + OLDEST + " or newer";

    private final Map<String, String> versions;

    /** @param versions of artifacts, by their names. */
    NettyCheck(Map<String, String> versions) {
        this.versions = new TreeMap<>(versions);
    }

    @Override
    public List<Finding> findings(Machine machine) {
        Map<String, List<String>> byVersion = versions.entrySet().stream().collect(Collectors.groupingBy(
                Map.Entry::getValue, TreeMap::new, Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
        String found = byVersion.entrySet().stream().map(entry -> entry.getKey() + " (" + String.join(", ",
                entry.getValue()) + ')').collect(Collectors.joining(", "));
        if (byVersion.isEmpty()) {
            return List.of(Finding.problem(NAME, "no artifact of the class path has a version", CURE));
        }
        if (byVersion.keySet().stream().anyMatch(NettyCheck::isTooOld)) {
            return List.of(Finding.problem(NAME, "older than " + OLDEST + ": " + found, CURE));
        }
        if (byVersion.size() > 1) {
            return List.of(Finding.warning(NAME, "several versions: " + found, CURE));
        }
        return List.of(Finding.ok(NAME, byVersion.keySet().iterator().next() + " of at least " + OLDEST));
    }

    private static boolean isTooOld(String version) {
        return version.matches("[0-3]\\..*|4\\.[01]\\..*");
    }
}
