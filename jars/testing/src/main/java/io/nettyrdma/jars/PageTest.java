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
package io.nettyrdma.jars;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The program of a section of the page, by RDMA and without it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class PageTest {

    private static final String SOFTWARE = "-Dio.nettyrdma.device=software";

    private final String heading;
    private final String answer;
    private PageExample example;

    /**
     * Tests a program.
     *
     * @param heading of its section.
     * @param answer that it prints.
     */
    protected PageTest(String heading, String answer) {
        this.heading = heading;
        this.answer = "answer: " + answer;
    }

    @BeforeAll
    final void compile(@TempDir Path directory) throws Exception {
        example = new PageExample(heading, directory);
    }

    @Test
    final void usesRdma() throws Exception {
        assertThat(example.run(SOFTWARE, "-Dio.nettyrdma.headStartMillis=20000"))
                .contains(answer, "connections: 1 by RDMA, 0 by TCP", "status: 0").doesNotContain("LEAK");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Dio.nettyrdma.policy=tcp", "-Dio.nettyrdma.device=absent0",
        "-Dio.netty.transport.noNative=true"})
    final void usesTcpWithoutRdma(String option) throws Exception {
        assertThat(example.run(SOFTWARE, option))
                .contains(answer, "connections: 0 by RDMA, 1 by TCP", "status: 0").doesNotContain("LEAK");
    }

    @Test
    final void failsIfRdmaIsRequiredAndMissing() throws Exception {
        assertThat(example.run("-Dio.nettyrdma.device=absent0", "-Dio.nettyrdma.policy=required"))
                .contains("RDMA is required", "status: 1").doesNotContain("answer:");
    }
}
