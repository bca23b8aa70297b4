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
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * How the scripts start Java programs, in a copy of theirs with a JDK and a Maven that only print how they were called.
 */
class ProgramsTest {

    private static final List<String> CLASS_PATHS = List.of("rdma-info/target/rdma-info.classpath",
            "example-echo/target/echo.classpath", "testsuite/target/lane.classpath");

    @TempDir
    private Path directory;
    private ScriptTree scripts;

    @BeforeEach
    void copyScripts() throws Exception {
        scripts = new ScriptTree(directory);
        // What a build leaves: see `prepare`.
        scripts.tool("mvn", "echo mvn in \"$PWD\": \"$@\" >> " + directory.resolve("built") + "; for f in "
                + String.join(" ", CLASS_PATHS) + "; do mkdir -p \"${f%/*}\"; echo \"$PWD/bin\" > \"$f\"; done");
    }

    @Test
    void rdmaInfoScriptBuildsNoTests() throws Exception {
        assertThat(scripts.run("bin/rdma-info", "--json").words("io.nettyrdma.info.RdmaInfo"))
                .containsExactly("--json");
        assertThat(built()).singleElement().asString().contains(" -pl rdma-info -am").doesNotContain("testsuite");
        assertThat(scripts.run("bin/rdma-info").status()).isZero();
        assertThat(built()).as("it is built once").hasSize(1);
    }

    @Test
    void rdmaInfoRunsWithoutTheDeviceOptionOfPrograms() throws Exception {
        assertThat(scripts.run("bin/rdma-info").output()).doesNotContain("-Dio.nettyrdma.device=any");
        assertThat(scripts.run("bin/echo").output()).contains("-Dio.nettyrdma.device=any");
    }

    @Test
    void readOnlyTreeIsBuiltInACopy() throws Exception {
        assumeTrue(scripts.mountReadOnly(), "this user may not mount");
        assertThat(scripts.run("bin/rdma-info").words("io.nettyrdma.info.RdmaInfo")).isEmpty();
        assertThat(built()).singleElement().asString().startsWith("mvn in " + directory.resolve("cache"));
        assertThat(scripts.run("bin/rdma-info").status()).isZero();
        assertThat(built()).as("the copy stays").hasSize(1);
        assertThat(scripts.root().resolve("rdma-info")).doesNotExist();
    }

    @Test
    void builtTreeCanBeReadOnly() throws Exception {
        assertThat(scripts.run("bin/echo").status()).isZero();
        assumeTrue(scripts.mountReadOnly(), "this user may not mount");
        assertThat(scripts.run("bin/echo").status()).isZero();
        assertThat(built()).hasSize(1);
    }

    @Test
    void wordsReachTheProgramAsTheyAre() throws Exception {
        assertThat(scripts.run("bin/echo", "server", "--size=128", "--count", "5")
                .words("io.nettyrdma.example.echo.Echo"))
                .containsExactly("server", "--size=128", "--count", "5");
        assertThat(scripts.run("bin/file-transfer", "--out=/a=b").words("io.nettyrdma.example.file.FileTransfer"))
                .containsExactly("--out=/a=b");
    }

    @Test
    void wrongJavaHomeIsReported() throws Exception {
        assertThat(scripts.run("bin/echo").status()).isZero();
        Files.delete(scripts.jdk().resolve("release"));
        ScriptTree.Result result = scripts.run("bin/echo");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.errors()).isEqualTo("bin/echo: JAVA_HOME=" + scripts.jdk()
                + " has no java of release 17 or newer: correct it, or unset it\n");
    }

    @Test
    void builtProgramRunsWithoutCompiler() throws Exception {
        assertThat(scripts.run("bin/echo").status()).isZero();
        Files.delete(scripts.jdk().resolve("bin/javac"));
        assertThat(scripts.run("bin/echo").status()).isZero();
    }

    @Test
    void soakSkipsItsBuildWithNoBuildAtAnyPosition() throws Exception {
        ScriptTree.Result result = scripts.run("bin/soak", "--no-build", "--minutes", "1");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.errors()).contains("is missing: run it without --no-build");
        assertThat(scripts.run("bin/soak", "--minutes", "1").status()).isZero();
        assertThat(built()).hasSize(1);
        assertThat(scripts.run("bin/soak", "--minutes", "1", "--no-build").words("io.nettyrdma.testsuite.soak.Soak"))
                .containsExactly("--minutes", "1");
        assertThat(built()).hasSize(1);
    }

    @Test
    void usageOfTheTestCommandIsTrue() throws Exception {
        assertThat(scripts.run("bin/test", "-Dtest=EchoTest").errors())
                .isEqualTo("bin/test: this runs every lane: use bin/test-one EchoTest: see bin/test --help\n");
        scripts.run("bin/test", "-X", "-Dnetty.permutations=all");
        scripts.run("bin/test", "--", "--offline");
        scripts.run("bin/test", "--random=7", "-X");
        assertThat(built()).hasSize(3).allMatch(line -> line.endsWith(" verify"))
                .allMatch(line -> line.contains(" -Dnative.skipTests=false "));
        assertThat(built().get(0)).contains(" -X -Dnetty.permutations=all ").doesNotContain("-Dtest.seed");
        assertThat(built().get(1)).contains(" --offline ");
        assertThat(built().get(2)).contains(" -Dthorough ", " -Dtest.seed=7 ", " -X ");
    }

    @Test
    void valueOfAScriptFollowsAsAWordOrBehindAnEqualsSign() throws Exception {
        for (String[] words : new String[][] { { "--rows", "many" }, { "--rows=many" } }) {
            ScriptTree.Result result = scripts.run("bin/spark-demo", words);
            assertThat(result.status()).isEqualTo(2);
            assertThat(result.errors())
                    .isEqualTo("bin/spark-demo: --rows is many, which is no number: see bin/spark-demo --help\n");
        }
        assertThat(scripts.run("bin/spark-demo", "--rows").errors())
                .isEqualTo("bin/spark-demo: --rows needs a value: see bin/spark-demo --help\n");
        assertThat(scripts.run("bin/rdma-run", "--options=a=b,c=d", "no-such-program").errors())
                .isEqualTo("bin/rdma-run: no command 'no-such-program'\n");
    }

    private List<String> built() throws IOException {
        return Files.readAllLines(directory.resolve("built"));
    }
}
