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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code bin/test-one} compiles and runs, in a tree of a few files with tools that only record their calls. */
class TestOneTest {

    private static final String CLASS = "testsuite/src/test/java/io/nettyrdma/testsuite/channel/SampleTest.java";
    private static final String MAIN = "transport-rdma/src/main/java/io/nettyrdma/Rdma.java";
    private static final String RESOURCE = "transport-rdma/src/main/resources/META-INF/resource";

    @TempDir
    private Path directory;
    private ScriptTree scripts;
    private Path compiled;

    @BeforeEach
    void makeTree() throws Exception {
        scripts = new ScriptTree(directory);
        scripts.copy("testsuite/lanes");
        for (String module : List.of("programs", "transport-rdma", "transport-rdma-native", "transport-efa",
                "testsuite")) {
            scripts.write(module + "/pom.xml", "");
        }
        Files.copy(ScriptTree.ROOT.resolve("pom.xml"), scripts.root().resolve("pom.xml"));
        for (String file : List.of(CLASS, MAIN, RESOURCE, "transport-efa/src/main/java/io/nettyrdma/efa/Efa.java",
                "programs/src/main/java/io/nettyrdma/program/Programs.java",
                "testsuite/src/test/java/io/nettyrdma/testsuite/verbs/CloseTest.java",
                "testsuite/src/test/java/io/nettyrdma/testsuite/cm/CloseTest.java",
                "transport-rdma/src/test/java/io/nettyrdma/buffer/SlotTest.java",
                "example-echo/src/test/java/io/nettyrdma/example/echo/ExampleTest.java",
                "transport-rdma-native/src/test/c/nrdma_range_test.c",
                "transport-rdma-native/src/softhca/test/shca_ring_test.c")) {
            scripts.write(file, "");
        }
        build();
        compiled = directory.resolve("compiled");
        scripts.tool(scripts.jdk().resolve("bin/javac"), "for w; do last=$w; done; echo \"$last\" >> " + compiled);
        scripts.tool(scripts.jdk().resolve("bin/jar"), "true");
        scripts.tool("cmake", "true");
        scripts.tool("ctest", "echo 100% tests passed");
    }

    /** For both architectures. */
    private void build() throws IOException {
        for (String arch : List.of("x86_64", "aarch_64")) {
            String cmake = "transport-rdma-native/target/cmake/linux-" + arch;
            scripts.write(cmake + "/CMakeCache.txt",
                    "CMAKE_HOME_DIRECTORY:INTERNAL=" + scripts.root().resolve("transport-rdma-native") + '\n');
            for (String made : List.of("libnetty_transport_rdma_" + arch + ".so", "libsofthca_" + arch + ".so",
                    "module/module-info.class")) {
                scripts.write(cmake + '/' + made, "");
            }
        }
        scripts.write("testsuite/target/lane.classpath", "/\n");
    }

    @Test
    void unchangedTreeIsNotCompiledAgain() throws Exception {
        assertThat(compiledFor("SampleTest")).containsExactly("main", "efa", "programs", "device");
        assertThat(compiledFor("SampleTest")).isEmpty();
        assertThat(compiledFor("SlotTest")).containsExactly("unit");
    }

    @Test
    void changedSourceIsCompiledWithAllThatUsesIt() throws Exception {
        compiledFor("SampleTest");
        Files.writeString(scripts.root().resolve(CLASS), "changed");
        assertThat(compiledFor("SampleTest")).containsExactly("device");
        Files.writeString(scripts.root().resolve(MAIN), "changed");
        assertThat(compiledFor("SampleTest")).containsExactly("main", "efa", "device");
    }

    @Test
    void changedTestIsCompiledAloneUnlessAnotherSourceNamesIt() throws Exception {
        Path list = scripts.root().resolve("target/test-one/device.sources");
        Path classes = scripts.root().resolve("target/test-one/device/io/nettyrdma/testsuite/channel");
        compiledFor("SampleTest");
        assertThat(list).content().hasLineCount(3);
        Files.createDirectories(classes);
        List<Path> stale = List.of(Files.writeString(classes.resolve("SampleTest.class"), ""),
                Files.writeString(classes.resolve("SampleTest$Nested.class"), ""));
        Files.writeString(scripts.root().resolve(CLASS), "changed");
        assertThat(compiledFor("SampleTest")).containsExactly("device");
        assertThat(list).hasContent(scripts.root().resolve(CLASS).toString());
        assertThat(stale).allSatisfy(file -> assertThat(file).doesNotExist());

        Path other = scripts.root().resolve("testsuite/src/test/java/io/nettyrdma/testsuite/cm/CloseTest.java");
        Files.writeString(other, "extends SampleTest");
        compiledFor("SampleTest");
        assertThat(list).hasContent(other.toString());
        Files.writeString(scripts.root().resolve(CLASS), "changed again");
        compiledFor("SampleTest");
        assertThat(list).content().hasLineCount(3);
        Files.delete(other);
        assertThat(compiledFor("SampleTest")).containsExactly("device");
        assertThat(list).content().hasLineCount(2);
    }

    @Test
    void changeWithAnOldTimeIsSeen() throws Exception {
        compiledFor("SampleTest");
        Path main = scripts.root().resolve(MAIN);
        Files.setLastModifiedTime(Files.writeString(main, "older"), FileTime.fromMillis(0));
        assertThat(compiledFor("SampleTest")).contains("main");
        Files.move(main, main.resolveSibling("Moved.java"));
        assertThat(compiledFor("SampleTest")).contains("main");
    }

    @Test
    void nothingRemainsOfADeletedSourceOrResource() throws Exception {
        compiledFor("SampleTest");
        Path classes = scripts.root().resolve("target/test-one/main");
        Path stale = Files.writeString(classes.resolve("Stale.class"), "");
        assertThat(classes.resolve("META-INF/resource")).exists();
        Files.delete(scripts.root().resolve(RESOURCE));
        assertThat(compiledFor("SampleTest")).contains("main");
        assertThat(stale).doesNotExist();
        assertThat(classes.resolve("META-INF/resource")).doesNotExist();
    }

    @Test
    void sourceThatDoesNotCompileIsCompiledAgain() throws Exception {
        scripts.tool(scripts.jdk().resolve("bin/javac"), "exit 1");
        ScriptTree.Result failed = scripts.run("bin/test-one", "SampleTest");
        assertThat(failed.status()).isEqualTo(1);
        assertThat(failed.errors()).contains("transport-rdma/src/main does not compile");
        assertThat(scripts.run("bin/test-one", "SampleTest").errors()).contains("does not compile");
    }

    @Test
    void oneTestIsSelectedByClassFileAndMethod() throws Exception {
        String selected = "--select-class=io.nettyrdma.testsuite.channel.SampleTest";
        for (String name : List.of("SampleTest", "channel.SampleTest", selected.replaceAll(".*=", ""), CLASS)) {
            assertThat(scripts.run("bin/test-one", name).output()).as(name).contains(selected);
        }
        assertThat(scripts.run("bin/test-one", "SampleTest#sample").output()).contains(selected)
                .anyMatch(word -> word.startsWith("--include-methodname=") && word.endsWith("#sample"));
    }

    @Test
    void personalityAndSeedAreSaidAndUsed() throws Exception {
        ScriptTree.Result result = scripts.run("bin/test-one", "--personality", "iwarp", "SampleTest", "--seed", "7");
        assertThat(result.output()).contains("bin/test-one: seed 7, personality iwarp, jdk",
                "-Dio.nettyrdma.testsuite.seed=7", "-Dio.nettyrdma.test.seed=7", "-Xcheck:jni", "-ea");
    }

    @Test
    void runWithoutAnyTestFails() throws Exception {
        ScriptTree.Result result = scripts.run("bin/test-one", "SampleTest");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).anyMatch(line -> line.contains("no test is in the reports"));
        scripts.tool("ctest", "echo 'shca_ring_test ...***Skipped'");
        assertThat(scripts.run("bin/test-one", "shca_ring_test").status()).isEqualTo(1);
    }

    @Test
    void cTestIsBuiltAndRunAlone() throws Exception {
        Path calls = directory.resolve("calls");
        scripts.tool("cmake", "echo \"$@\" >> " + calls);
        scripts.tool("ctest", "echo ctest \"$@\" >> " + calls);
        assertThat(scripts.run("bin/test-one", "shca_ring_test", "nrdma_range_test").status()).isZero();
        assertThat(Files.readString(calls)).contains("--target shca_ring_test nrdma_range_test",
                "^(shca_ring_test|nrdma_range_test)$");
        assertThat(compiled).doesNotExist();
        assertThat(scripts.run("bin/test-one", "shca_ring_test_tsan").status()).isZero();
        assertThat(Files.readString(calls)).contains("--target shca_ring_test_tsan");
    }

    @Test
    void testThatIsMissingOrAmbiguousIsNamed() throws Exception {
        assertThat(scripts.run("bin/test-one", "samp").errors()).contains("no test is named samp", "SampleTest");
        assertThat(scripts.run("bin/test-one", "CloseTest").errors())
                .contains("io.nettyrdma.testsuite.verbs.CloseTest", "io.nettyrdma.testsuite.cm.CloseTest");
        assertThat(scripts.run("bin/test-one", "shca_no_test").errors()).contains("no test is named shca_no_test");
        assertThat(scripts.run("bin/test-one", "ExampleTest").errors()).contains("-pl example-echo");
        assertThat(scripts.run("bin/test-one", "--late", "shca_ring_test").status()).isEqualTo(2);
        assertThat(compiled).doesNotExist();
    }

    @Test
    void treeIsBuiltFirstIfItIsNotBuiltOrABuildFileChanged() throws Exception {
        Path built = directory.resolve("built");
        scripts.tool("mvn", "echo built >> " + built + "; echo / > testsuite/target/lane.classpath");
        Path classPath = scripts.root().resolve("testsuite/target/lane.classpath");
        Files.delete(classPath);
        scripts.run("bin/test-one", "shca_ring_test");
        assertThat(built).hasContent("built\n");
        Files.setLastModifiedTime(classPath, FileTime.fromMillis(0));
        scripts.run("bin/test-one", "shca_ring_test");
        assertThat(built).as("the contents are the same").hasContent("built\n");
        scripts.write("transport-efa/pom.xml", "changed");
        scripts.run("bin/test-one", "shca_ring_test");
        assertThat(built).hasContent("built\nbuilt\n");
    }

    /** The names of the trees that a run compiles. */
    private List<String> compiledFor(String test) throws Exception {
        Files.deleteIfExists(compiled);
        scripts.run("bin/test-one", test);
        if (!Files.exists(compiled)) {
            return List.of();
        }
        try (Stream<String> lines = Files.lines(compiled)) {
            return lines.map(line -> line.replaceAll(".*/(\\w+)\\.sources$", "$1")).toList();
        }
    }
}
