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
package io.nettyrdma.microbench.report;

import io.netty.util.Version;
import io.nettyrdma.Rdma;
import io.nettyrdma.cm.DeviceAddress;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Describes the machine and the software of a report. */
final class Machine {

    private static final String UNKNOWN = "unknown";
    private static final List<String> LIBRARIES = List.of("/usr/lib", "/usr/lib64", "/lib");

    private Machine() {
    }

    /** @param root top of the tree. */
    static Map<String, String> describe(Path root) {
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("date", DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)
                .format(ZonedDateTime.now(ZoneOffset.UTC)));
        machine.put("processor", value("/proc/cpuinfo", "model name"));
        machine.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        machine.put("virtual", virtual());
        machine.put("memory", memory());
        machine.put("kernel", System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch"));
        machine.put("system", value("/etc/os-release", "PRETTY_NAME").replace("\"", ""));
        machine.put("JDK", System.getProperty("java.vm.vendor") + ", " + Runtime.version());
        machine.put("Netty", Version.identify().values().stream().map(Version::artifactVersion).distinct()
                .collect(Collectors.joining(", ")));
        machine.put("rdma-core", rdmaCore());
        machine.put("device", device());
        machine.put("revision", output(root, "git", "log", "-1", "--format=%h of %cs")
                + (output(root, "git", "status", "--porcelain", "--untracked-files=no").isEmpty() ? ""
                : ", with changes"));
        machine.put("locked memory", limit());
        return machine;
    }

    /** Of the last minute. */
    static String load() {
        return String.format(Locale.ROOT, "%.1f",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String virtual() {
        String flags = value("/proc/cpuinfo", "flags");
        String product = first(Path.of("/sys/class/dmi/id/sys_vendor"));
        return (' ' + flags + ' ').contains(" hypervisor ")
                ? "yes" + (product.equals(UNKNOWN) ? "" : ", " + product) : "no hypervisor seen";
    }

    private static String memory() {
        String[] words = value("/proc/meminfo", "MemTotal").split(" ");
        return words.length == 2 ? Math.round(Double.parseDouble(words[0]) / (1 << 20)) + " GiB" : UNKNOWN;
    }

    private static String device() {
        if (!Rdma.isAvailable()) {
            return "none: " + Rdma.unavailabilityCause().getMessage();
        }
        try {
            DeviceAddress used = DeviceAddress.forLocalUse();
            return used.device() + " at " + used.address().getHostAddress() + "; all: "
                    + RdmaDevice.list().stream().map(RdmaDeviceInfo::name).collect(Collectors.joining(", "));
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    /** The file name of libibverbs ends in its version: 1.14.44.0 is of rdma-core 44. */
    private static String rdmaCore() {
        for (String directory : LIBRARIES) {
            try (Stream<Path> files = Files.find(Path.of(directory), 2, (file, attributes) ->
                    file.getFileName().toString().matches("libibverbs\\.so(\\.\\d+){4}"))) {
                String version = files.findFirst().map(file -> file.getFileName().toString()).orElse("");
                if (!version.isEmpty()) {
                    String[] numbers = version.replaceFirst(".*so\\.", "").split("\\.");
                    return numbers[2] + '.' + numbers[3];
                }
            } catch (IOException ignored) {
                // The next directory.
            }
        }
        return "not installed";
    }

    private static String limit() {
        return Stream.of(read(Path.of("/proc/self/limits")).split("\n"))
                .filter(line -> line.startsWith("Max locked memory")).findFirst()
                .map(line -> line.replaceFirst("Max locked memory +(\\S+).*", "$1")).orElse(UNKNOWN);
    }

    /** The value behind a name and a colon or an equals sign. */
    private static String value(String file, String name) {
        return Stream.of(read(Path.of(file)).split("\n")).filter(line -> line.startsWith(name))
                .map(line -> line.replaceFirst("[^:=]*[:=]\\s*", "")).findFirst().orElse(UNKNOWN);
    }

    private static String first(Path file) {
        String line = read(file).split("\n")[0].trim();
        return line.isEmpty() ? UNKNOWN : line;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static String output(Path directory, String... command) {
        try {
            Process process = new ProcessBuilder(command).directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0 ? text : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return UNKNOWN;
        }
    }
}
