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
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;

/**
 * Files of {@code /sys}, {@code /proc} and {@code /dev}. A file that is absent, or that this user may not read, is
 * empty: the checks say what that means.
 *
 * @param root root of the file system; tests use another than {@code /}.
 * @param access whether this process may read and write a file. For root each file of a test is permitted.
 */
public record SystemFiles(Path root, Predicate<Path> access) {

    /** {@return the files of this machine} */
    public static SystemFiles ofThisMachine() {
        return new SystemFiles(Path.of("/"), file -> Files.isReadable(file) && Files.isWritable(file));
    }

    boolean exists(String path) {
        return Files.exists(root.resolve(path));
    }

    boolean isAccessible(String path) {
        return access.test(root.resolve(path));
    }

    /** Without blanks at both ends. */
    String text(String path) {
        try {
            return new String(Files.readAllBytes(root.resolve(path)), StandardCharsets.ISO_8859_1).trim();
        } catch (IOException e) {
            return "";
        }
    }

    List<String> lines(String path) {
        return text(path).lines().toList();
    }

    /** {@return what the file begins with as a number, 0 if that is none} */
    long number(String path) {
        String digits = text(path).split("\\D", 2)[0];
        return digits.isEmpty() || digits.length() > 18 ? 0 : Long.parseLong(digits);
    }

    /** {@return the name of the file that a link leads to, empty if there is no link} */
    String target(String path) {
        try {
            return Files.readSymbolicLink(root.resolve(path)).getFileName().toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** {@return the sorted names in a directory} */
    List<String> names(String directory) {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(directory))) {
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
        } catch (IOException | DirectoryIteratorException e) {
            return List.of();
        }
        Collections.sort(names);
        return names;
    }
}
