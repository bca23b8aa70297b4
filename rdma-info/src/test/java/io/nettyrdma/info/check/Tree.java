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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A root directory with files of {@code /sys}, {@code /proc} and {@code /dev}, as a machine has them. */
final class Tree {

    private final Path root;
    private final Set<Path> forbidden = new HashSet<>();

    Tree(Path root) {
        this.root = root;
    }

    Tree file(String path, String content) {
        try {
            Path file = root.resolve(path);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content + '\n');
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Tree directory(String path) {
        try {
            Files.createDirectories(root.resolve(path));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A file that this user may not open. */
    Tree forbidden(String path) {
        forbidden.add(root.resolve(path));
        return file(path, "");
    }

    /** The device and the modules that programs reach it by. */
    Tree device(String name) {
        return file("sys/class/infiniband/" + name + "/node_type", "1: CA")
                .directory("sys/class/infiniband_verbs/uverbs0").directory("sys/class/misc/rdma_cm");
    }

    Machine machine() {
        return machine(Map.of(), false);
    }

    Machine software() {
        return machine(Map.of(), true);
    }

    Machine pod() {
        return machine(Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1"), false);
    }

    private Machine machine(Map<String, String> environment, boolean software) {
        return Machine.of(new SystemFiles(root, file -> !forbidden.contains(file)), environment, software);
    }

    /** The only finding, as one line of text with its level and its cure. */
    static String only(List<Finding> findings) {
        if (findings.size() != 1) {
            throw new AssertionError("not one finding: " + findings);
        }
        Finding finding = findings.get(0);
        return finding.level() + " " + finding.text() + (finding.cure() == null ? "" : " -> " + finding.cure());
    }
}
