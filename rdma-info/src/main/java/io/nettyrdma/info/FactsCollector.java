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
import io.nettyrdma.cm.CmEventChannel;
import io.nettyrdma.info.Facts.ConnectionManager;
import io.nettyrdma.info.Facts.Device;
import io.nettyrdma.info.Facts.DeviceSource;
import io.nettyrdma.info.Facts.Host;
import io.nettyrdma.info.Facts.Library;
import io.nettyrdma.jni.NativeLibrary;
import io.nettyrdma.verbs.RdmaDevice;
import io.nettyrdma.verbs.RdmaDeviceInfo;
import io.nettyrdma.verbs.VerbsException;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Collects the facts of this machine. A fact that cannot be determined is replaced by the reason, and the rest goes on.
 */
final class FactsCollector {

    private static final String VERSIONS = "/META-INF/io.nettyrdma.versions.properties";

    private FactsCollector() {
    }

    static Facts collect() {
        Throwable missing = Rdma.unavailabilityCause();
        return new Facts(version(), host(), deviceSource(), libraries(), connectionManager(),
                MemoryFacts.read(Path.of("/")), devices(), missing == null ? null : missing.getMessage());
    }

    private static String version() {
        Properties versions = new Properties();
        try (InputStream in = FactsCollector.class.getResourceAsStream(VERSIONS)) {
            if (in != null) {
                versions.load(in);
            }
        } catch (IOException e) {
            return null;
        }
        return versions.getProperty("netty-transport-rdma.version");
    }

    private static Host host() {
        return new Host(System.getProperty("os.name") + ' ' + System.getProperty("os.version"),
                System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version"));
    }

    private static DeviceSource deviceSource() {
        return new DeviceSource(NativeLibrary.isSoftware() ? "the software device softhca, within this machine only"
                : "rdma-core of this system", NativeLibrary.deviceChoice().name(), NativeLibrary.softwareReason());
    }

    private static List<Library> libraries() {
        return List.of(library("libibverbs", NativeLibrary.verbsUnavailabilityCause()),
                library("librdmacm", NativeLibrary.cmUnavailabilityCause()),
                library("libefa", NativeLibrary.efaUnavailabilityCause()));
    }

    private static Library library(String name, Throwable problem) {
        return new Library(name, problem == null, path(name), problem == null ? null : problem.getMessage());
    }

    /** The path of a library. The software device has one file for all three. */
    private static String path(String library) {
        return NativeLibrary.isSoftware() ? NativeLibrary.softwareOrigin() : mappedFile(library);
    }

    /** The mapped file of a library, from the last column of {@code /proc/self/maps}. */
    private static String mappedFile(String library) {
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.filter(mapping -> mapping.contains('/' + library + ".so"))
                    .map(mapping -> mapping.substring(mapping.indexOf('/')))
                    .findFirst().orElse(null);
        } catch (IOException | UncheckedIOException e) {
            return null;
        }
    }

    /**
     * Opens an event channel: only that proves that the kernel has rdma_cm, and not just that librdmacm is installed.
     */
    private static ConnectionManager connectionManager() {
        try (CmEventChannel channel = CmEventChannel.open()) {
            return new ConnectionManager(channel.isOpen(), null);
        } catch (VerbsException | UnsatisfiedLinkError e) {
            return new ConnectionManager(false, e.getMessage());
        }
    }

    private static List<Device> devices() {
        List<Device> devices = new ArrayList<>();
        try {
            for (RdmaDeviceInfo info : RdmaDevice.list()) {
                devices.add(DeviceFacts.of(info));
            }
        } catch (VerbsException | UnsatisfiedLinkError e) {
            // Facts.missing reports this in more detail.
            return List.of();
        }
        return devices;
    }
}
