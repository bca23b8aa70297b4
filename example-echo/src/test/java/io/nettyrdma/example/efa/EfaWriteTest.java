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

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

/** The program, in one process and as server and client, and what it says of wrong usage. */
@Tag("efa")
@Timeout(60)
class EfaWriteTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    private int run(String... words) throws Exception {
        return EfaWrite.run(words, print(out), print(errors));
    }

    private static PrintStream print(ByteArrayOutputStream to) {
        return new PrintStream(to, true, StandardCharsets.UTF_8);
    }

    @Test
    void writeAndWriteWithImmediateArrive() throws Exception {
        assertThat(run()).as("%s%s", out, errors).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("immediate 1 from", "1,024,000 bytes are here and right")
                .contains("immediate 2 from", "8 bytes are here and right");
    }

    /** The client comes first, and tries until the server is there. */
    @Test
    void serverAndClient() throws Exception {
        String port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = Integer.toString(free.getLocalPort());
        }
        ByteArrayOutputStream clients = new ByteArrayOutputStream();
        String host = InetAddress.getLoopbackAddress().getHostAddress();
        CompletableFuture<Integer> client = CompletableFuture.supplyAsync(() -> {
            try {
                return EfaWrite.run(new String[] { "--client", host, port }, print(clients), print(errors));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(run("--server", port)).as("%s%s", out, errors).isZero();
        assertThat(client.get()).isZero();
        assertThat(clients.toString(StandardCharsets.UTF_8)).contains("immediate 1 is complete",
                "immediate 2 is complete");
    }

    @Test
    void wrongUsage() throws Exception {
        assertThat(run("--server", "many")).isEqualTo(2);
        assertThat(run("--client", "here")).isEqualTo(2);
        assertThat(run("--colour")).isEqualTo(2);
        assertThat(run("--self-check", "--colour")).isEqualTo(2);
        assertThat(errors.toString(StandardCharsets.UTF_8).lines()).hasSize(4)
                .allMatch(line -> line.startsWith("bin/efa-write: ") && line.endsWith("see bin/efa-write --help"));
    }
}
