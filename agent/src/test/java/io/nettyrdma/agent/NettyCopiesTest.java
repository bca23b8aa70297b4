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
package io.nettyrdma.agent;

import io.nettyrdma.agent.program.ClassesProgram;
import io.nettyrdma.agent.program.EchoProgram;
import io.nettyrdma.agent.program.FlinkNettyProgram;
import io.nettyrdma.agent.program.LoadersProgram;
import io.nettyrdma.agent.program.OldGroupProgram;
import io.nettyrdma.agent.program.OsgiProgram;
import io.nettyrdma.agent.program.ShadedGrpcProgram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;

import static org.assertj.core.api.Assertions.assertThat;

/** Which Netty a program has, and where. */
class NettyCopiesTest {

    @TempDir
    private Path directory;
    private Child child;

    @BeforeEach
    void prepare() {
        child = new Child(directory);
    }

    @Test
    void oldestNettyConnectsByRdma() throws Exception {
        Child.Result result = child.libraries(Child.built("netty-oldest")).softwareAgent("")
                .run(EchoProgram.class, "NIO");
        assertThat(result.output()).endsWith("echoed: true\nended\n");
        assertThat(result.errors()).contains("Netty 4.2.0.Final has RDMA", "summary: 1 connects by RDMA\n");
    }

    /** The agent's is newer, and needs a newer Netty. */
    @Test
    void oldestNettyWithoutEpollIsLeftAlone() throws Exception {
        File[] jars = Path.of(Child.built("netty-oldest")).getParent().toFile()
                .listFiles((parent, name) -> !name.contains("epoll"));
        Child.Result result = child.libraries(String.join(File.pathSeparator,
                Arrays.stream(jars).map(File::getPath).toList())).softwareAgent("")
                .run(EchoProgram.class, "NIO_ALONE");
        assertThat(result.output()).endsWith("echoed: true\nended\n");
        assertThat(result.errors()).contains("it is 4.2.0.Final without its epoll, and the agent's is for a newer one: "
                + "add io.netty:netty-transport-native-epoll of that version");
    }

    @Test
    void olderNettyIsLeftAlone() throws Exception {
        Child.Result result = child.libraries(Child.built("netty-4.1")).softwareAgent("").run(OldGroupProgram.class);
        assertThat(result.output()).isEqualTo("listens: NioServerSocketChannel true\nended\n");
        assertThat(result.errors()).contains("left alone: Netty of ", " is older than 4.2.0");
    }

    @Test
    void olderNettyOfFlinkIsLeftAlone() throws Exception {
        Child.Result result = child.libraries(Child.entries("/flink/")).softwareAgent("")
                .run(FlinkNettyProgram.class);
        assertThat(result.output()).isEqualTo("listens: NioServerSocketChannel true\nended\n");
        assertThat(result.errors()).contains("left alone: Netty below org.apache.flink.shaded.netty4 of ",
                " is older than 4.2.0");
    }

    @Test
    void bundlesOfOsgiAreLeftAlone() throws Exception {
        String[] arguments = (directory.resolve("bundles") + File.pathSeparator + Child.entries("/io/netty/"))
                .split(File.pathSeparator);
        Child.Result result = child.libraries(Child.entries("/felix/")).softwareAgent("")
                .run(OsgiProgram.class, arguments);
        assertThat(result.output()).isEqualTo("listens: NioServerSocketChannel true\nended\n");
        assertThat(result.errors()).contains("left alone: Netty of io.netty.transport ",
                "because its jars have class loaders of their own, as in OSGi: put Netty's jars into one bundle");
    }

    @Test
    void copiesInTwoLoadersConnectByRdma() throws Exception {
        Child.Result result = child.libraries("").softwareAgent("").run(LoadersProgram.class,
                Child.programs() + ':' + Child.entries("/io/netty/"), EchoProgram.class.getName(), "NIO");
        assertThat(result.output().split("echoed: true\n", -1)).hasSize(3);
        assertThat(result.errors().split("summary: 1 connects by RDMA\n", -1)).hasSize(3);
        assertThat(result.errors()).doesNotContain("Exception");
    }

    /** Its native libraries have names of their own. */
    @Test
    void relocatedNettyConnectsByRdma() throws Exception {
        Child.Result result = child.libraries(Child.entries("/io/grpc/", "/guava/", "/perfmark/", "/gson/",
                "/annotation", "/failureaccess/")).softwareAgent("").run(ShadedGrpcProgram.class);
        assertThat(result.output()).isEqualTo("echoed: true\nended\n");
        assertThat(result.errors()).contains("summary: 1 connects by RDMA\n").doesNotContain("Exception");
    }

    @Test
    void programSeesNoClassOfTheAgents() throws Exception {
        Child.Result result = child.softwareAgent("").run(ClassesProgram.class,
                "org.objectweb.asm.ClassWriter", "io.nettyrdma.Rdma", "io.nettyrdma.channel.RdmaChannel");
        assertThat(result.output()).isEqualTo("absent\nabsent\nabsent\n");
    }
}
