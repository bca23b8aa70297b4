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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/** OSGi and the module system show users the same packages. */
class BundleTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();
    private static final Pattern BUNDLE = Pattern.compile("<bundle\\.exports>(.*?)</bundle\\.exports>", Pattern.DOTALL);
    private static final Pattern EXPORT = Pattern.compile("^    exports (\\S+);", Pattern.MULTILINE);

    @ParameterizedTest
    @ValueSource(strings = { "transport-rdma", "transport-efa" })
    void bundleExportsThePackagesOfTheModule(String module) throws IOException {
        Matcher bundle = BUNDLE.matcher(Files.readString(ROOT.resolve(module).resolve("pom.xml")));
        assertThat(bundle.find()).isTrue();
        List<String> exported = EXPORT.matcher(Files.readString(ROOT.resolve(module)
                .resolve("src/main/java/module-info.java"))).results().map(export -> export.group(1)).toList();
        assertThat(bundle.group(1).strip().split("[;\\s\\\\]+")).containsExactlyElementsOf(exported);
    }
}
