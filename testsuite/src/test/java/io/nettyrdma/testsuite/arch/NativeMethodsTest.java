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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;

/** Where native methods are declared, and what has to know about them. */
class NativeMethodsTest {

    private static final Path MAIN = ProjectTree.directory("transport-rdma/src/main");
    private static final Pattern NATIVE_METHOD = Pattern.compile("\\bnative\\s+[\\w.\\[\\]]+\\s+\\w+\\s*\\(");

    @Test
    void onlyThePackageJniHasNativeMethods() {
        assertThat(classesWithNativeMethods()).isNotEmpty().allMatch(name -> name.startsWith("io.nettyrdma.jni."));
    }

    /** A native image that was built without the class name cannot register the natives, and fails at run time. */
    @Test
    void nativeImageKnowsEveryClassWithNativeMethods() throws IOException {
        String config = Files.readString(
                MAIN.resolve("resources/META-INF/native-image/io.nettyrdma/netty-transport-rdma/jni-config.json"));
        Set<String> known = Pattern.compile("\"name\": \"(io\\.nettyrdma\\.[\\w.]+)\"").matcher(config).results()
                .map(entry -> entry.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(known).isEqualTo(classesWithNativeMethods());
    }

    private static Set<String> classesWithNativeMethods() {
        Path root = MAIN.resolve("java");
        return SourceTree.files(root, ".java").stream()
                .filter(file -> NATIVE_METHOD.matcher(SourceTree.code(file)).find())
                .map(file -> root.relativize(file).toString().replace(".java", "").replace('/', '.'))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
