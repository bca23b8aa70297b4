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
package io.nettyrdma.example.echo;

import io.nettyrdma.example.OtherHost;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code bin/echo --transport efa}. */
@Tag("efa")
@Timeout(60)
class DatagramEchoTest {

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    private int run(String... words) throws Exception {
        return Echo.run(words, new PrintStream(errors, true, StandardCharsets.UTF_8));
    }

    @Test
    void everyDatagramIsEchoed() throws Exception {
        assertThat(run("--transport", "efa", "--count", "2000", "--connections", "3", "--size", "4"))
                .as("%s", errors).isZero();
        assertThat(run("--transport", "efa", "--count", "500", "--size", "8928")).as("%s", errors).isZero();
    }

    /** TCP, by which the peers meet, would reach it. */
    @Test
    void softwareDeviceRefusesAnotherHost() throws Exception {
        String other = OtherHost.get().getHostAddress();
        assertThat(run("client", "--transport", "efa", "--host", other, "--port", "7")).isEqualTo(1);
        assertThat(errors.toString(StandardCharsets.UTF_8)).hasLineCount(1).contains(other, "softhca0 (software)",
                "use a device of the system on both machines");
    }

    @Test
    void messageLongerThanADatagramIsRefused() throws Exception {
        assertThat(run("--transport", "efa", "--size", "8929")).isEqualTo(1);
        assertThat(run("--transport", "efa", "--size", "3")).isEqualTo(1);
        assertThat(errors.toString(StandardCharsets.UTF_8).lines()).hasSize(2)
                .allMatch(line -> line.contains("a datagram here has 4 to 8928 bytes"));
    }
}
