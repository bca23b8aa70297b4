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

import io.nettyrdma.verbs.DeviceCapabilities;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The EFA adapters of this machine, and what they, their driver and their libraries say of themselves. */
final class CheckedAdapters {

    /** The file that is loaded: its name ends with the version of rdma-core. */
    private static final Pattern LIBRARY = Pattern.compile("lib(ibverbs|efa|softhca)[^/ ]*\\.so[.0-9]*");

    private CheckedAdapters() {
    }

    /** @return their names; at least one. */
    static List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        List<RdmaDeviceInfo> all = RdmaDevice.list();
        for (RdmaDeviceInfo info : all) {
            try (RdmaDevice device = RdmaDevice.open(info.name())) {
                if (device.capabilities().efa() != null) {
                    names.add(info.name());
                }
            }
        }
        if (names.isEmpty()) {
            throw new IOException("no EFA device: " + all);
        }
        return names;
    }

    /** Prints the versions that all adapters share. */
    static void printVersions(PrintStream out) throws IOException {
        out.println("system       " + System.getProperty("os.name") + ' ' + System.getProperty("os.version") + ' '
                + System.getProperty("os.arch") + ", Java " + System.getProperty("java.version"));
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            out.println("libraries    " + mappings.map(LIBRARY::matcher).filter(Matcher::find)
                    .map(Matcher::group).distinct().sorted().collect(Collectors.joining(" ")));
        }
    }

    /** Prints the versions, and what each adapter says of itself. */
    static void printAll(PrintStream out) throws IOException {
        printVersions(out);
        for (String name : names()) {
            print(name, out);
        }
    }

    /** Prints what an adapter says of itself. */
    static DeviceCapabilities print(String name, PrintStream out) throws IOException {
        try (RdmaDevice device = RdmaDevice.open(name)) {
            DeviceCapabilities has = device.capabilities();
            out.println("adapter      " + name);
            out.println("  driver       " + driver(name) + ", firmware " + device.limits().firmware() + ", part "
                    + Integer.toHexString(device.limits().partId()));
            out.println("  limits       " + has.efa());
            return has;
        }
    }

    /** Amazon's own driver has a version; that of the kernel has the kernel's. */
    private static String driver(String name) {
        Path module = Path.of("/sys/class/infiniband", name, "device/driver/module");
        try {
            return module.toRealPath().getFileName() + " " + Files.readString(module.resolve("version")).strip();
        } catch (IOException e) {
            return Files.exists(module) ? "of the kernel" : "none";
        }
    }
}
