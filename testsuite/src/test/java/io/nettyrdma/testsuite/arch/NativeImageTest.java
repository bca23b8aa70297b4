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

import io.netty.channel.Channel;
import io.nettyrdma.testsuite.support.ProjectTree;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The metadata for native-image has what the code looks up by name. No GraalVM is in reach of the project, so this
 * compares the sources with the metadata.
 */
class NativeImageTest {

    private static final Path ROOT = ProjectTree.directory("bin").getParent();
    private static final Path NATIVE = ROOT.resolve("transport-rdma-native/src/main/c");
    private static final List<String> MODULES = List.of("transport-rdma", "transport-efa");

    /** Bootstraps make a channel by the constructor without parameters of its class. */
    @Test
    void channelsCanBeMadeByReflection() throws IOException {
        Set<String> channels = new TreeSet<>();
        Set<String> known = new TreeSet<>();
        for (String module : MODULES) {
            Path java = ROOT.resolve(module).resolve("src/main/java");
            SourceTree.files(java, "Channel.java").stream().map(file -> java.relativize(file).toString()
                    .replace(".java", "").replace('/', '.')).filter(NativeImageTest::isMadeByBootstraps)
                    .forEach(channels::add);
            String config = metadata(module, "reflect-config.json");
            known.addAll(names(config));
            assertThat(config.split("\"<init>\"", -1)).as("constructors of %s", module)
                    .hasSize(names(config).size() + 1);
        }
        assertThat(channels).contains("io.nettyrdma.channel.RdmaChannel");
        assertThat(known).isEqualTo(channels);
    }

    private static boolean isMadeByBootstraps(String name) {
        try {
            Class<?> type = Class.forName(name, false, NativeImageTest.class.getClassLoader());
            return Channel.class.isAssignableFrom(type) && !Modifier.isAbstract(type.getModifiers())
                    && Stream.of(type.getConstructors()).anyMatch(each -> each.getParameterCount() == 0);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /** All that the C code names by JNI are the classes whose methods it registers. */
    @Test
    void nativeCodeLooksUpTheKnownClassesAlone() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Path file : SourceTree.files(NATIVE, ".c", ".h")) {
            String code = SourceTree.code(file);
            assertThat(code).as("look-ups of JNI in %s", file)
                    .doesNotContain("FindClass", "GetMethodID", "GetStaticMethodID", "GetFieldID", "GetStaticFieldID");
            Pattern.compile("NRDMA_METHODS\\(\\s*\"(\\w+)\"").matcher(code).results()
                    .forEach(name -> named.add("io.nettyrdma.jni." + name.group(1)));
        }
        assertThat(named).isEqualTo(names(metadata("transport-rdma", "jni-config.json")));
    }

    @Test
    void resourcesOfTheCodeAreIncluded() throws IOException {
        List<Pattern> patterns = Pattern.compile("\"pattern\": \"(.*)\"").matcher(metadata("transport-rdma",
                "resource-config.json")).results().map(match -> Pattern.compile(match.group(1).replace("\\\\", "\\")))
                .toList();
        List<String> resources = List.of("META-INF/native/libnetty_transport_rdma_x86_64.so",
                "META-INF/native/libcom_acme_netty_transport_rdma_aarch_64.so",
                "META-INF/native/libsofthca_aarch_64.so");
        assertThat(resources).allMatch(resource -> patterns.stream().anyMatch(each -> each.matcher(resource)
                .matches()));
        // Where the code reads a resource: a new reader needs a line above.
        assertThat(SourceTree.files(ROOT.resolve("transport-rdma/src/main/java"), ".java").stream()
                .filter(file -> SourceTree.code(file).contains(".getResource")).map(file -> file.getFileName()
                .toString())).containsExactly("LibraryFile.java");
    }

    /** Look-ups of a class by its literal name, of a field of a literal class: native-image finds these by itself. */
    @Test
    void reflectionOfTheCodeIsFoundByTheCompiler() {
        Set<String> reflective = MODULES.stream().flatMap(module -> SourceTree.files(ROOT.resolve(module)
                .resolve("src/main/java"), ".java").stream()).filter(file -> Pattern.compile(
                "\\.(?:getDeclaredMethod|getMethod|getDeclaredField|getDeclaredConstructor|newInstance|loadClass)\\(")
                .matcher(SourceTree.code(file)).find()).map(file -> file.getFileName().toString())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(reflective).isEmpty();
    }

    private static String metadata(String module, String file) throws IOException {
        return Files.readString(ROOT.resolve(module).resolve("src/main/resources/META-INF/native-image/io.nettyrdma")
                .resolve("netty-" + module).resolve(file));
    }

    private static Set<String> names(String config) {
        return Pattern.compile("\"name\": \"(io\\.nettyrdma\\.[\\w.]+)\"").matcher(config).results()
                .map((MatchResult match) -> match.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }
}
