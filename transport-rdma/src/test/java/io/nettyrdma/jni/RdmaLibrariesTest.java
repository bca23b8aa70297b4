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
package io.nettyrdma.jni;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Which libraries are opened, with a fake kernel and linker for each case. */
class RdmaLibrariesTest {

    private static final String NOT_FOUND = ": cannot open shared object file";

    @TempDir
    private Path root;
    /** The paths that were opened, in order. */
    private final List<String> opened = new ArrayList<>();
    private String missing = "";
    /** What the linker says of it; {@code null} if it is nowhere. */
    private String text;
    private boolean softwareIsHere = true;

    @Test
    void systemOpensRdmaCoreWithoutADevice() {
        RdmaLibraries libraries = open("system");
        assertThat(libraries).isEqualTo(new RdmaLibraries(false, null, null, null, null, null));
        assertThat(opened).containsExactly("libibverbs.so.1", "librdmacm.so.1", "libefa.so.1");
    }

    @Test
    void systemNeverUsesTheSoftwareDevice() throws IOException {
        device();
        missing = "libibverbs.so.1";
        RdmaLibraries libraries = open("system");
        assertThat(libraries.software()).isFalse();
        assertThat(libraries.verbsCause()).hasMessageContaining(missing).hasMessageContaining("install rdma-core");
        assertThat(libraries.cmCause()).isSameAs(libraries.verbsCause());
        assertThat(opened).isEmpty();
    }

    @Test
    void causeOfSystemWithoutDeviceNamesTheSoftwareDevice() {
        missing = "libibverbs.so.1";
        RdmaLibraries libraries = open("");
        assertThat(libraries.software()).isFalse();
        assertThat(libraries.verbsCause()).message().startsWith("there is no RDMA device")
                .contains("-Dio.nettyrdma.device=software").contains(missing).contains("install rdma-core");
        assertThat(opened).isEmpty();
    }

    @Test
    void missingConnectionManagerDisablesOnlyItself() {
        missing = "librdmacm.so.1";
        RdmaLibraries libraries = open("system");
        assertThat(libraries.verbsCause()).isNull();
        assertThat(libraries.cmCause()).hasMessageContaining(missing).hasMessageContaining("install rdma-core");
        assertThat(libraries.efaCause()).isNull();
    }

    @Test
    void softwareOpensOneFileThreeTimesDespiteADevice() throws IOException {
        device();
        RdmaLibraries libraries = open("software");
        assertSoftware(libraries);
        assertThat(libraries.reason()).isNull();
    }

    @Test
    void causeOfMissingSoftwareDoesNotNameRdmaCore() {
        softwareIsHere = false;
        RdmaLibraries libraries = open("software");
        assertThat(libraries.software()).isTrue();
        assertThat(libraries.verbsCause()).hasMessage("no such resource");
        assertThat(libraries.efaCause()).isSameAs(libraries.verbsCause());
    }

    @Test
    void unopenableSoftwareIsNamedWithoutCure() {
        missing = "softhca";
        assertThat(open("software").verbsCause()).message().startsWith("the software device file:")
                .contains(NOT_FOUND).endsWith(")");
    }

    @Test
    void causeOfUnusableLibraryNamesItsRepair() throws IOException {
        device();
        missing = "libibverbs.so.1";
        text = "/lib64/libibverbs.so.1: file too short";
        assertThat(open("system").verbsCause()).hasMessage(text
                + "; libibverbs.so.1 is installed, but cannot be used: repair or reinstall it");
        text = "symbol rdma_establish is missing in libibverbs.so.1";
        assertThat(open("system").verbsCause()).hasMessage(text + "; it is too old: install a newer rdma-core");
    }

    @Test
    void anyUsesARealDevice() throws IOException {
        device();
        assertThat(open("any").software()).isFalse();
        assertThat(opened).containsExactly("libibverbs.so.1", "librdmacm.so.1", "libefa.so.1");
    }

    @Test
    void anyUsesSoftwareWithoutADeviceAndReportsTheCause() {
        RdmaLibraries libraries = open("any");
        assertSoftware(libraries);
        assertThat(libraries.reason()).contains("there is no RDMA device");
    }

    @Test
    void anyUsesSoftwareIfADeviceIsUnreachable() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0"));
        RdmaLibraries libraries = open("any");
        assertSoftware(libraries);
        assertThat(libraries.reason()).contains("[mlx5_0]").contains("modprobe ib_uverbs");
    }

    @Test
    void anyUsesSoftwareIfLibibverbsIsMissing() throws IOException {
        device();
        missing = "libibverbs.so.1";
        RdmaLibraries libraries = open("any");
        assertSoftware(libraries);
        assertThat(libraries.reason()).contains("libibverbs.so.1").contains("install rdma-core");
    }

    @Test
    void anyWithoutAnyLibraryReportsBothCauses() {
        softwareIsHere = false;
        assertThat(open("any").verbsCause()).hasMessageContaining("there is no RDMA device")
                .hasMessageContaining("the software device cannot be used either: no such resource");
    }

    @Test
    void theNameOfADeviceChoosesItsLibraries() throws IOException {
        assertThat(open("mlx5_0").software()).isFalse();
        assertThat(open("softhca0").software()).isTrue();
    }

    private void assertSoftware(RdmaLibraries libraries) {
        assertThat(libraries.software()).isTrue();
        assertThat(libraries.verbsCause()).isNull();
        assertThat(libraries.cmCause()).isNull();
        assertThat(libraries.efaCause()).isNull();
        assertThat(libraries.origin()).endsWith(System.mapLibraryName(LibraryFile.SOFTWARE));
        assertThat(opened).hasSize(3).allMatch(path -> path.contains(LibraryFile.SOFTWARE));
        assertThat(opened.stream().distinct()).hasSize(1);
        assertThat(Path.of(opened.get(0))).doesNotExist();
    }

    private RdmaLibraries open(String choice) {
        DeviceChoice parsed = DeviceChoice.parse(choice);
        return RdmaLibraries.open(parsed, new KernelDevices(root, parsed), this::dlopen, this::locate);
    }

    private String dlopen(int which, String path) {
        if (!missing.isEmpty() && path.contains(missing)) {
            return text == null ? path + NOT_FOUND : text;
        }
        opened.add(path);
        return null;
    }

    private LibraryFile locate() throws IOException {
        if (!softwareIsHere) {
            throw new FileNotFoundException("no such resource");
        }
        Path folder = Files.createDirectories(root.resolve("jar/META-INF/native"));
        Files.writeString(folder.resolve(System.mapLibraryName(LibraryFile.SOFTWARE)), "a library");
        try (URLClassLoader loader = new URLClassLoader(new URL[] { root.resolve("jar/").toUri().toURL() }, null)) {
            return LibraryFile.software(loader);
        }
    }

    /** Adds a device that is complete. */
    private void device() throws IOException {
        Files.createDirectories(root.resolve("sys/class/infiniband/mlx5_0"));
        Files.createDirectories(root.resolve("sys/class/infiniband_verbs/uverbs0"));
        Files.createFile(Files.createDirectories(root.resolve("dev/infiniband")).resolve("uverbs0"));
    }
}
