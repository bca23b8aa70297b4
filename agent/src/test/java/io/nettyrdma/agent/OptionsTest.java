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

import io.nettyrdma.agent.program.EchoProgram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the agent does by its options, and without RDMA. */
class OptionsTest {

    private static final String NIO_CHANNELS = "listens: NioServerSocketChannel\nconnected: NioSocketChannel\n";

    @TempDir
    private Path directory;
    private Child child;

    @BeforeEach
    void prepare() {
        child = new Child(directory);
    }

    @Test
    void machineWithoutDeviceIsLeftAsItIs() throws Exception {
        Child.Result result = child.agent("device=no_such_device").run(EchoProgram.class, "NIO");
        assertThat(result.output()).contains(NIO_CHANNELS).endsWith("ended\n");
        assertThat(result.errors()).isEqualTo("netty-transport-rdma-agent: does nothing: there is no RDMA device "
                + "no_such_device in /sys/class/infiniband\n");
    }

    @Test
    void machineWithoutDeviceIsOfferedTheSoftwareDevice() throws Exception {
        String[] devices = new File("/sys/class/infiniband").list();
        assumeTrue(devices == null || devices.length == 0, "this machine has a device");
        assertThat(child.agent("").run(EchoProgram.class, "NIO").errors()).endsWith(
                "in /sys/class/infiniband; the option device=software chooses the software device\n");
    }

    /** The files say that there may be a device, and the transport that there is none: Netty's classes were changed. */
    @Test
    void programIsLeftAsItIsIfItsNettyHasNoNatives() throws Exception {
        Child.Result result = child.option("-Dio.netty.transport.noNative=true").softwareAgent("")
                .run(EchoProgram.class, "NIO");
        assertThat(result.output()).contains(NIO_CHANNELS).endsWith("ended\n");
        assertThat(result.errors()).contains("left alone: Netty of ", "disabled by -Dio.netty.transport.noNative=true");
    }

    @Test
    void policyOfTcpChangesNothing() throws Exception {
        Child.Result result = child.agent("device=software,policy=tcp").run(EchoProgram.class, "NIO");
        assertThat(result.output()).contains(NIO_CHANNELS).endsWith("ended\n");
        assertThat(result.errors()).isEqualTo("netty-transport-rdma-agent: does nothing: the policy is tcp\n");
    }

    @Test
    void requiredRdmaNeverFallsBack() throws Exception {
        Child.Result result = child.agent("device=no_such_device,policy=required").run(EchoProgram.class, "NIO");
        assertThat(result.status()).isNotZero();
        assertThat(result.output()).doesNotContain("listens");
        assertThat(result.errors()).contains("RDMA is required to listen at /127.0.0.1:0");
    }

    @Test
    void propertyOfTheProgramComesBeforeTheOption() throws Exception {
        Child.Result result = child.option("-Dio.nettyrdma.policy=tcp").softwareAgent("policy=required")
                .run(EchoProgram.class, "NIO");
        assertThat(result.errors()).contains("does nothing: the policy is tcp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"denyClass=io.nettyrdma.agent.program.*", "allowClass=org.acme.*",
        "denyClass=io.nettyrdma.agent.program.EchoProgram"})
    void excludedClassIsLeftAlone(String rule) throws Exception {
        Child.Result result = child.softwareAgent(rule).run(EchoProgram.class, "NIO");
        assertThat(result.output()).contains("NioServerSocketChannel", "NioSocketChannel").endsWith("ended\n");
        assertThat(result.errors())
                .contains("left alone: event loops and channels that allowClass or denyClass exclude");
    }

    @Test
    void allowedClassConnectsByRdma() throws Exception {
        Child.Result result = child.softwareAgent("allowClass=io.nettyrdma.agent.program.*")
                .run(EchoProgram.class, "NIO");
        assertThat(result.errors()).contains("1 connects by RDMA");
    }

    @ParameterizedTest
    @CsvSource({"denyAddress=127.0.0.0/8, 0", "denyAddress=:1-65535, 0", "allowAddress=10.0.0.0/8, 0",
        "allowAddress=127.0.0.1, 1", "denyAddress=[::1], 1"})
    void addressDecides(String rule, int connects) throws Exception {
        Child.Result result = child.softwareAgent(rule).run(EchoProgram.class, "NIO");
        assertThat(result.output()).endsWith("echoed: true\nended\n");
        assertThat(result.errors()).contains("summary: " + connects + " connects by RDMA"
                + (connects == 1 ? "\n" : ", 1 by TCP because the policy allows TCP only\n"));
    }

    @Test
    void summaryIsAppendedToAFile() throws Exception {
        Path file = directory.resolve("summary");
        for (int run = 0; run < 2; run++) {
            Child.Result result = child.agent("device=software,headStartMillis=20000,summary=" + file)
                    .run(EchoProgram.class, "NIO");
            assertThat(result.errors()).doesNotContain("summary:");
            child = new Child(directory);
        }
        assertThat(file).content().matches("(\\d+: 1 connects by RDMA\n"
                + "\\d+: 1 connections accepted by RDMA\n\\d+: 2097152 bytes sent by RDMA\n){2}");
    }

    @ParameterizedTest
    @CsvSource({"policy=never, 'policy=never is none of required, preferred and tcp'",
        "color=red, there is no option color",
        "summary=here, 'summary=here is none of on, off and the absolute path of a file'",
        "headStartMillis=0, 'headStartMillis=0 is no number from 1 to 60000'",
        "policy, the option policy has no value", "denyAddress=localhost, the address localhost is none like"})
    void wrongOptionEndsTheJvm(String options, String error) throws Exception {
        Child.Result result = child.agent(options).run(EchoProgram.class, "NIO");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors()).startsWith("netty-transport-rdma-agent: " + error).hasLineCount(1);
    }

    @Test
    void secondAgentDoesNothing() throws Exception {
        Child.Result result = child.softwareAgent("").softwareAgent("").run(EchoProgram.class, "NIO");
        assertThat(result.output()).endsWith("ended\n");
        assertThat(result.errors()).contains("it is there already").containsOnlyOnce("1 connects by RDMA");
    }

    @Test
    void linesOfTheAgentCanBeOff() throws Exception {
        assertThat(child.agent("device=software,log=off").run(EchoProgram.class, "NIO").errors())
                .doesNotContain("netty-transport-rdma-agent");
    }
}
