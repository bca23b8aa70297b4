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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The source files that the architecture tests read.
 */
final class SourceTree {

    /** Literals are matched so that a comment sign inside one is not taken for a comment. */
    private static final Pattern COMMENT_OR_LITERAL = Pattern.compile("//[^\n]*|/\\*.*?\\*/"
            + "|(\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+')", Pattern.DOTALL);

    /** Directories that a build, git or an IDE makes. */
    private static final Set<String> MADE = Set.of("target", ".git", ".idea", ".settings", ".vscode");

    private SourceTree() { }

    /**
     * Every file below a directory with one of the extensions. Finding none is an error, as a check of nothing always
     * passes.
     */
    static List<Path> files(Path directory, String... extensions) {
        try (Stream<Path> all = Files.walk(directory)) {
            List<Path> found = all.filter(Files::isRegularFile)
                    .filter(file -> Stream.of(extensions).anyMatch(ext -> file.toString().endsWith(ext)))
                    .sorted()
                    .toList();
            if (found.isEmpty()) {
                throw new IllegalStateException("no " + String.join(" or ", extensions) + " file in " + directory);
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every file below a directory, without those that a build or git made. */
    static List<Path> all(Path directory) {
        List<Path> found = new ArrayList<>();
        try {
            Files.walkFileTree(directory, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                    return MADE.contains(dir.getFileName().toString()) ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    found.add(file);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        found.sort(null);
        return found;
    }

    /**
     * The text of a file without comments and, for Java, without literals, which are no code either. C keeps its
     * literals: a {@code #include} has one.
     */
    static String code(Path file) {
        String literal = file.toString().endsWith(".java") ? "\"\"" : "$1";
        try {
            return COMMENT_OR_LITERAL.matcher(Files.readString(file))
                    .replaceAll(match -> match.group(1) == null ? " " : literal);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
