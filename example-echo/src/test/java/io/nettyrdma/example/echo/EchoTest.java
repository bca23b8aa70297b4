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

import io.nettyrdma.Rdma;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.example.OtherHost;
import io.nettyrdma.example.ServerAddress;
import io.nettyrdma.program.Programs;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** {@code bin/echo}, with its ends apart. */
@Tag("device")
class EchoTest {

    private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

    /** Also from another machine: without knowing the address at which it listens. */
    @Test
    void serverWithoutHostListensOnEveryDeviceAddress() throws Exception {
        List<DeviceAddress> addresses = DeviceAddress.list().stream()
                .filter(each -> each.address() instanceof Inet4Address).toList();
        assertThat(addresses).isNotEmpty();
        EchoOptions options = new EchoOptions();
        assertThat(Programs.read(options, System.out, System.err, "server")).isEmpty();
        try (Server server = Transport.RDMA.newServer(EchoAddress.of(options))) {
            String port = Integer.toString(server.address().getPort());
            assertThat(ServerAddress.describe(server.address())).startsWith("port " + port + " of ");
            for (DeviceAddress each : addresses) {
                String host = each.address().getHostAddress();
                assertThat(ServerAddress.describe(server.address())).contains(host + " (" + each.device() + ')');
                assertThat(run("client", "--host", host, "--port", port, "--count", "10")).as("%s", errors).isZero();
            }
            assertThat(run("client", "--port", port, "--count", "10")).as("%s", errors).isZero();
        }
    }

    @Test
    void clientOnASoftwareDeviceRefusesAnotherHostAtOnce() throws Exception {
        assumeTrue(Rdma.devices().stream().noneMatch(RdmaDeviceInfo::reachesOtherHosts), "another host may be reached");
        InetSocketAddress other = new InetSocketAddress(OtherHost.get(), 7);
        assertThat(run("client", "--host", other.getAddress().getHostAddress(), "--port", "7")).isEqualTo(1);
        assertThat(errors.toString(StandardCharsets.UTF_8)).hasLineCount(1)
                .startsWith("bin/echo: cannot connect: No route to host: " + other + ": the software device reaches")
                .contains("-Dio.nettyrdma.device=system").doesNotContain("start bin/echo", "is the host up");
    }

    /** A server that is there cannot be started once more. */
    @ParameterizedTest
    @ValueSource(ints = { 64, 2_500 })
    void lowLimitOfLockedMemoryIsNotReportedAsServerFailure(int kib) throws Exception {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
        }
        command.addAll(List.of("bash", "-c", "ulimit -l " + kib + "; exec \"$@\"", "bash",
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Echo.class.getName(), "--count", "10"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assumeTrue(process.waitFor() != 0, "this device does not lock what is registered");
        assertThat(said).contains("ulimit -l", "is " + kib + " KiB")
                .doesNotContain("start bin/echo", "data sent from it is copied");
    }

    private int run(String... words) throws Exception {
        errors.reset();
        return Echo.run(words, new PrintStream(errors, true, StandardCharsets.UTF_8));
    }
}
