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
package io.nettyrdma.agent.swap;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.jar.JarFile;

/**
 * Whether there may be an RDMA device: a look at a few files, before anything is instrumented. The transport itself
 * answers exactly, when a program uses Netty.
 */
final class DevicePresence {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private final String device;
    private final JarFile jar;

    DevicePresence(Options options, JarFile jar) {
        device = options.property(Options.DEVICE, "system").trim();
        this.jar = jar;
    }

    /** {@code null} if there may be one. */
    String whyNone() {
        String library = NettyLoader.NESTED + "META-INF/native/libnetty_transport_rdma_" + arch() + ".so";
        if (!"Linux".equals(System.getProperty("os.name")) || jar.getEntry(library) == null) {
            return "its native library is not for " + System.getProperty("os.name") + " on "
                    + System.getProperty("os.arch");
        }
        String choice = device.toLowerCase(Locale.ROOT);
        if (choice.equals("software") || choice.equals("any") || choice.startsWith("softhca")) {
            return null;
        }
        boolean isAnyMeant = choice.isEmpty() || choice.equals("system");
        return (isAnyMeant ? hasEntries() : Files.exists(DEVICES.resolve(device))) ? null
                : "there is no RDMA device" + (isAnyMeant ? "" : ' ' + device) + " in " + DEVICES
                + (isAnyMeant ? "; the option device=software chooses the software device" : "");
    }

    private static boolean hasEntries() {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(DEVICES)) {
            return entries.iterator().hasNext();
        } catch (IOException e) {
            return false;
        }
    }

    /** As Netty names it. */
    static String arch() {
        String arch = System.getProperty("os.arch");
        return arch.equals("amd64") ? "x86_64" : arch.equals("aarch64") ? "aarch_64" : arch;
    }
}
