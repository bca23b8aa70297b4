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

import io.netty.channel.uring.IoUring;
import io.nettyrdma.agent.program.DatagramProgram;
import io.nettyrdma.agent.program.EchoProgram;
import io.nettyrdma.agent.program.ParentProgram;
import io.nettyrdma.agent.program.ProxyProgram;
import io.nettyrdma.agent.program.ReactorProgram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Unmodified programs, with and without the agent, in JVMs of their own. */
class AgentTest {

    private static final String BY_RDMA = "summary: 1 connects by RDMA\n";
    private static final String NOT_BY_RDMA = "summary: 0 connects by RDMA";

    @TempDir
    private Path directory;
    private Child child;

    @BeforeEach
    void prepare() {
        child = new Child(directory);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NIO", "NIO_GROUP", "NIO_CONSTRUCTORS", "EPOLL", "EPOLL_GROUP", "IO_URING"})
    void programConnectsByRdma(String transport) throws Exception {
        assumeIoUring(transport);
        Child.Result result = child.softwareAgent("").run(EchoProgram.class, transport);
        assertThat(result.output()).contains("listens: RdmaOrTcpServerChannel\n", "connected: RdmaOrTcpChannel\n");
        assertThat(result.errors()).contains(BY_RDMA);
        assertEchoed(result);
    }

    /** What frameworks detect transports by. */
    @ParameterizedTest
    @CsvSource({"NIO, true false true false true", "NIO_GROUP, true false true false true",
        "EPOLL, false true false true true", "EPOLL_GROUP, false true false true true"})
    void loopsAnswerAsTheChosenOnes(String transport, String answers) throws Exception {
        assertThat(child.softwareAgent("").run(EchoProgram.class, transport).output())
                .contains("asks: " + answers + '\n');
        assertThat(new Child(directory).run(EchoProgram.class, transport).output()).as("without the agent")
                .contains("asks: " + answers + '\n');
    }

    /** Its cast of the handler succeeds. */
    @Test
    void deprecatedLoopHasItsSelector() throws Exception {
        assertThat(child.softwareAgent("").run(EchoProgram.class, "NIO_GROUP").output())
                .contains("provider: true\n", "registered: 0\n");
    }

    @Test
    void channelOfTheProgramsOwnClassStaysOnTheSwappedLoop() throws Exception {
        Child.Result result = child.softwareAgent("").run(EchoProgram.class, "NIO_SUBCLASSES");
        assertThat(result.output()).contains("listens: OwnServerChannel\n", "connected: OwnChannel\n");
        assertThat(result.errors()).contains("swapped: event loops of NIO", NOT_BY_RDMA);
        assertEchoed(result);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NIO", "IO_URING"})
    void datagramsRunOnTheSwappedLoop(String transport) throws Exception {
        assumeIoUring(transport);
        Child.Result result = child.softwareAgent("").run(DatagramProgram.class, transport);
        assertThat(result.output()).isEqualTo("answered: true\nended\n");
        assertThat(result.errors()).contains("swapped: event loops of ").doesNotContain("Exception");
    }

    /** What it connects to has no RDMA, and the class it connects with is that of a channel by RDMA. */
    @Test
    void proxyConnectsByTheClassOfAChild() throws Exception {
        Child.Result result = child.softwareAgent("").run(ProxyProgram.class);
        assertThat(result.output()).isEqualTo("answer: 42\nended\n");
        assertThat(result.errors())
                .contains("summary: 1 connects by RDMA, 1 by TCP because the peer refused it by RDMA");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NIO", "EPOLL", "IO_URING"})
    void parentOfEachChildIsTheServer(String transport) throws Exception {
        assumeIoUring(transport);
        Child.Result result = child.softwareAgent("").run(ParentProgram.class, transport);
        assertThat(result.output()).isEqualTo("parent of RdmaOrTcpChannel: null\n"
                + "parent of RdmaChannel: true attribute\nparent of EpollSocketChannel: true attribute\nended\n");
        assertThat(result.errors()).contains(BY_RDMA).doesNotContain("Exception");
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void reactorNettyConnectsByRdma(String isNative) throws Exception {
        Child.Result result = child.libraries(Child.entries("/io/netty/", "/projectreactor/", "/reactivestreams/"))
                .softwareAgent("").run(ReactorProgram.class, isNative);
        assertThat(result.output()).isEqualTo("echoed: hello\nended\n");
        assertThat(result.errors()).contains(BY_RDMA);
    }

    @Test
    void loopsOfAnotherSelectorProviderAreLeftAlone() throws Exception {
        Child.Result result = child.softwareAgent("").run(EchoProgram.class, "NIO_OF_ANOTHER_PROVIDER");
        assertThat(result.output()).contains("listens: NioServerSocketChannel\n", "connected: NioSocketChannel\n");
        assertThat(result.errors()).contains("left alone: NIO event loops with the selectors of ",
                "left alone: TCP channels on event loops without RDMA");
        assertEchoed(result);
    }

    /** Its epoll comes from the agent's jar. */
    @Test
    void programWithoutEpollConnectsByRdma() throws Exception {
        Child.Result result = child.without("epoll").softwareAgent("").run(EchoProgram.class, "NIO_ALONE");
        assertThat(result.errors()).contains(BY_RDMA);
        assertEchoed(result);
    }

    /** The program's classes and Netty's are modules' or the class path's: the agent opens what it reads. */
    @ParameterizedTest
    @ValueSource(strings = {"NIO", "NIO_CONSTRUCTORS", "EPOLL"})
    void programOnTheModulePathConnectsByRdma(String transport) throws Exception {
        Child.Result result = child.libraries("").option("--module-path=" + Child.entries("/io/netty/"))
                .option("--add-modules=ALL-MODULE-PATH").softwareAgent("").run(EchoProgram.class, transport);
        assertThat(result.errors()).contains(BY_RDMA);
        assertEchoed(result);
    }

    private static void assumeIoUring(String transport) {
        assumeTrue(!transport.equals("IO_URING") || IoUring.isAvailable(), "the kernel has no io_uring");
    }

    private static void assertEchoed(Child.Result result) {
        assertThat(result.output()).endsWith("echoed: true\nended\n");
        assertThat(result.errors()).doesNotContain("Exception", "LEAK:", "WARNING in native method");
        assertThat(result.status()).isZero();
    }
}
