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
package io.nettyrdma.info;

import io.nettyrdma.Rdma;
import io.nettyrdma.info.Facts.ConnectionManager;
import io.nettyrdma.info.Facts.Device;
import io.nettyrdma.info.Facts.DeviceSource;
import io.nettyrdma.info.Facts.Feature;
import io.nettyrdma.info.Facts.GidFact;
import io.nettyrdma.info.Facts.Host;
import io.nettyrdma.info.Facts.HugePages;
import io.nettyrdma.info.Facts.Library;
import io.nettyrdma.info.Facts.Limits;
import io.nettyrdma.info.Facts.Memory;
import io.nettyrdma.info.Facts.Port;
import io.nettyrdma.program.Programs;
import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.EfaLimits;
import io.nettyrdma.verbs.Fallbacks;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class RdmaInfoTest {

    private static final Facts FULL = new Facts("9.8.7", new Host("Linux 6.1.0", "amd64", "VM 17"),
            new DeviceSource("rdma-core", "efa_0", "none was named"),
            List.of(new Library("libibverbs", true, "/usr/lib/libibverbs.so.1.14", null),
                    new Library("libefa", false, null, "libefa.so.1: not found")),
            new ConnectionManager(false, "no rdma_ucm"),
            new Memory(65536L, "never", List.of(new HugePages(2097152, 11, 12))),
            List.of(new Device("efa_0", "OTHER", "0123:4567:89ab:cdef", "half open", "1.2.3", "0x1d0f", "61344",
                    List.of(new Port(1, "ACTIVE", "ETHERNET", 4096, 2048, 13, 8928, 14, 15,
                            List.of(new GidFact(16, "fe80::17", "ROCE_V2", "eth18")))),
                    List.of(new Feature("inline bytes", 400, "forced off")),
                    new Limits("unlimited", 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115),
                    new EfaLimits(201, 202, 203, 204, 205, 206, 207))),
            "a device of flesh");

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void textAndJsonHaveEveryFact() {
        String text = TextWriter.write(FULL);
        String json = JsonWriter.write(FULL);
        assertThat(scalars(FULL)).hasSizeGreaterThan(50).allSatisfy(value -> {
            String word = Boolean.TRUE.equals(value) ? "yes" : Boolean.FALSE.equals(value) ? "no" : value.toString();
            assertThat(text).contains(word);
            assertThat(json).contains(value instanceof String ? '"' + value.toString() + '"' : ' ' + value.toString());
        });
    }

    @Test
    void fallbackHasItsMethodAndItsCause() {
        String property = Fallbacks.EXTENDED_COMPLETION_QUEUE.property();
        DeviceCapabilities nothing = new DeviceCapabilities(false, false, false, false, false, false, false, false,
                false, false, false, false, false, false, false, 0, 0, 0, null);
        assertThat(DeviceFacts.features(nothing)).contains(
                new Feature("extended completion queue", false, "polled by ibv_poll_cq"));
        System.setProperty(property, "false");
        try {
            assertThat(DeviceFacts.features(nothing)).contains(new Feature("extended completion queue", false,
                    "polled by ibv_poll_cq, forced off by -Dio.nettyrdma.verbs.extendedCompletionQueue=false"));
        } finally {
            System.clearProperty(property);
        }
        DeviceCapabilities all = new DeviceCapabilities(true, true, true, true, true, true, true, true, true, true,
                true, true, true, true, true, 400, 32, 31, null);
        assertThat(DeviceFacts.features(all)).contains(
                new Feature("extended queue pair", true, "posted to by ibv_wr_start"),
                new Feature("inline bytes", 400, null), new Feature("receive sge", 31, null));
    }

    @Test
    void reportOfThisMachineIsComplete() {
        int status = run();
        String text = out.toString(StandardCharsets.UTF_8);
        boolean usable = Rdma.isAvailable();
        assertThat(status).isEqualTo(usable ? Programs.SUCCESS : Programs.FAILED);
        assertThat(text).contains("libibverbs").contains("locked limit bytes:")
                .contains(usable ? "\ndevice " : "\nmissing:");
        out.reset();
        assertThat(run("--json")).isEqualTo(status);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("{\n  \"version\": ").endsWith("\n}\n");
    }

    @Test
    void checkOfThisMachineEndsWithTheStatusOfItsProblems() {
        int status = run("--check");
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(status).isEqualTo(Rdma.isAvailable() ? Programs.SUCCESS : Programs.FAILED);
        assertThat(text.lines().filter(line -> line.startsWith("problem ")).count() == 0)
                .as(text).isEqualTo(status == Programs.SUCCESS);
        assertThat(text).contains("C library: glibc 2.", "Netty: ", "locked memory: ", "\nproblems: ");
        out.reset();
        assertThat(run("--check", "--json")).isEqualTo(status);
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("{\n  \"usable\": ").contains("\"cure\": ");
    }

    @Test
    void wrongUsagePrintsOneLine() {
        assertThat(run("--json", "--xml")).isEqualTo(Programs.WRONG_USAGE);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("rdma-info: no option --xml: see rdma-info --help\n");
        assertThat(out.size()).isZero();
    }

    @Test
    void helpSucceeds() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("usage: rdma-info ")
                .contains("--check", "--json", "Exit status");
    }

    private int run(String... args) {
        try (PrintStream toOut = new PrintStream(out, false, StandardCharsets.UTF_8);
             PrintStream toErr = new PrintStream(err, false, StandardCharsets.UTF_8)) {
            return RdmaInfo.run(args, toOut, toErr);
        }
    }

    private static List<Object> scalars(Object value) {
        if (value instanceof Record) {
            return RecordFields.of((Record) value).stream()
                    .flatMap(field -> scalars(field.value()).stream()).toList();
        }
        if (value instanceof List) {
            return ((List<?>) value).stream().flatMap(element -> scalars(element).stream()).toList();
        }
        return Stream.ofNullable(value).toList();
    }
}
