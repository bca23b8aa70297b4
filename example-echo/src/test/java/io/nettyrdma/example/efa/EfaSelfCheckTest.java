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
package io.nettyrdma.example.efa;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** The program's check of its adapters, each time in processes of its own, on the software device. */
@Tag("efa")
@Timeout(60)
class EfaSelfCheckTest {

    private static Process start(String personality, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-Dio.nettyrdma.device=software", "-cp", System.getProperty("java.class.path"),
                EfaWrite.class.getName(), "--self-check"));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("SOFTHCA_PERSONALITY", personality);
        return builder.start();
    }

    private static String output(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    private static void assertAllWorks(String output) {
        assertThat(output).doesNotContain("FAILS").contains("driver", "libsofthca", "exchange of addresses: works",
                "datagram of 8928 bytes: works", "sleep until a datagram comes: works",
                "unreliable datagrams: works: 8928 bytes");
    }

    /** Both ends are processes that the user starts. Two runs: the other end goes on. */
    @Test
    void selfCheckBetweenTwoHostsSucceeds() throws Exception {
        Process server = start("efa", "--server");
        try (BufferedReader reader = server.inputReader()) {
            String line = reader.readLine();
            while (!line.contains("waits at port")) {
                line = reader.readLine();
            }
            String port = line.replaceAll("\\D*(\\d+),.*", "$1");
            for (int i = 0; i < 2; i++) {
                String output = output(start("efa", "--client", "127.0.0.1", port));
                assertAllWorks(output);
                assertThat(output).contains("write of 1048576 bytes: works", "read of 1048576 bytes: works",
                        "write with immediate of 1048576 bytes: works", "datagram of a stranger: works",
                        "service level 8: works", "end of RNR retries: works: the peer took 8 datagrams");
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    /** It is said, and is no failure. */
    @Test
    void missingLibraryFeaturesAreReported() throws Exception {
        String output = output(start("efa44"));
        assertAllWorks(output);
        assertThat(output).contains("no writes: an adapter of Nitro v4", "service level 8: works: with level 0");
    }

    @Test
    void missingAdapterFeaturesAreReported() throws Exception {
        String output = output(start("efa0"));
        assertAllWorks(output);
        assertThat(output).contains("no reads: an adapter of Nitro v4",
                "no RNR_RETRY_COUNT: the adapter repeats without limit",
                "datagram of a stranger: works: it is not answered");
    }

    /** There is no peer: it ends with a failure that says so. */
    @Test
    void failedCheckIsAFailure() throws Exception {
        Process alone;
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            alone = start("efa", "--client", "127.0.0.1", Integer.toString(silent.getLocalPort()));
            silent.accept().close();
            assertThat(new String(alone.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("exchange of addresses: FAILS").doesNotContain("datagram of");
        }
        assertThat(alone.waitFor()).isEqualTo(1);
    }
}
