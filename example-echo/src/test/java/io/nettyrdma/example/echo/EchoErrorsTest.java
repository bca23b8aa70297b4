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

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** An error that a user can cure is one line, which says how. */
class EchoErrorsTest {

    private static final String HOST = InetAddress.getLoopbackAddress().getHostAddress();

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    /** In a process of its own: the device is chosen once. */
    @Test
    void missingDeviceIsReported() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Dio.nettyrdma.device=nosuch0", "-cp",
                System.getProperty("java.class.path"), Echo.class.getName())
                .redirectErrorStream(true).start();
        process.getOutputStream().close();
        process.getInputStream().transferTo(errors);
        assertThat(process.waitFor()).isEqualTo(1);
        assertOneLine("RDMA is not available: ", "device");
    }

    @Test
    void usedPortIsReported() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            assertThat(run("server", "--host", HOST, "--port", port(other))).isEqualTo(1);
            assertOneLine("cannot listen on /" + HOST + ':' + other.getLocalPort(), "give another --port");
        }
    }

    @Test
    void missingListenerIsReported() throws Exception {
        String port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            port = port(closed);
        }
        assertThat(run("client", "--host", HOST, "--port", port)).isEqualTo(1);
        assertOneLine("cannot connect: Connection refused: /" + HOST + ':' + port, "; start bin/echo server there");
    }

    @Test
    void hostWithoutAddressIsReported() throws Exception {
        assertThat(run("server", "--host", "no host")).isEqualTo(1);
        assertOneLine("--host no host has no address", "give a name that resolves");
    }

    @Test
    void wrongUsageIsReported() throws Exception {
        assertThat(run("server", "--port", "many")).isEqualTo(2);
        assertOneLine("--port is many, which is no number", "see bin/echo --help");
        assertThat(run("client")).isEqualTo(2);
        assertOneLine("a client needs the --port", "see bin/echo --help");
        assertThat(run("--colour", "red")).isEqualTo(2);
        assertOneLine("no option --colour", "see bin/echo --help");
    }

    private int run(String... words) throws Exception {
        String[] all = new String[words.length + 2];
        System.arraycopy(words, 0, all, 0, words.length);
        all[words.length] = "--transport";
        all[words.length + 1] = "nio";
        errors.reset();
        try (PrintStream stream = new PrintStream(errors, true, StandardCharsets.UTF_8)) {
            return Echo.run(all, stream);
        }
    }

    private static String port(ServerSocket socket) {
        return Integer.toString(socket.getLocalPort());
    }

    private void assertOneLine(String what, String cure) throws IOException {
        String text = errors.toString(StandardCharsets.UTF_8);
        assertThat(text).startsWith("bin/echo: ").contains(what).contains(cure);
        assertThat(text.lines()).hasSize(1);
    }
}
