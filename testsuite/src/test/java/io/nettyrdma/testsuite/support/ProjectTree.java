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
package io.nettyrdma.testsuite.support;

import java.nio.file.Files;
import java.nio.file.Path;

/** The checkout that contains the tests. */
public final class ProjectTree {

    private ProjectTree() {
    }

    /** A directory below the root of the project, wherever in the project the test was started. */
    public static Path directory(String path) {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve("transport-rdma-native")) && Files.isDirectory(dir.resolve(path))) {
                return dir.resolve(path);
            }
        }
        throw new IllegalStateException("no directory " + path + " at or above " + Path.of("").toAbsolutePath());
    }
}
