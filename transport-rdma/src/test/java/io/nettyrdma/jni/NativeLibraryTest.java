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

import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.Rdma;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** Libraries are opened once per process, so each case that must fail there has a process of its own. */
class NativeLibraryTest {

    private static final String DEVICE = "-Dio.nettyrdma.device=";

    @TempDir
    private Path directory;

    @Test
    void shimLoads() {
        assertThatNoException().isThrownBy(NativeLibrary::ensureShim);
    }

    /** A program that asks for a device expects it to reach other machines. */
    @Test
    void softwareDeviceIsOnlyUsedOnRequest() throws Exception {
        for (List<String> options : List.of(List.<String>of(), List.of(DEVICE + "system"))) {
            List<String> lines = process().with(options.toArray(String[]::new)).run(Availability.class);
            assertThat(lines.get(1)).doesNotContain("software");
            if (!"available".equals(lines.get(0))) {
                assertThat(lines.get(0)).contains(DEVICE + "software");
                assertThat(lines.get(1)).isEqualTo("[]");
            }
        }
    }

    @Test
    void softwareDeviceIsAvailableOnRequest() throws Exception {
        for (String choice : List.of("software", "softhca0")) {
            assertThat(process().with(DEVICE + choice).run(Availability.class))
                    .containsExactly("available", "[softhca0 (software)]");
        }
    }

    /** No machine needs rdma-core or a device then. */
    @Test
    void anyIsAvailableEverywhere() throws Exception {
        assertThat(process().with(DEVICE + "any").run(Availability.class).get(0)).isEqualTo("available");
    }

    @Test
    void unknownDeviceNameIsReportedWithTheKnownNames() throws Exception {
        assertThat(process().with(DEVICE + "softhca77").run(Availability.class)).containsExactly(
                DEVICE + "softhca77 is no device: the software device is called softhca0", "[]");
        for (String choice : List.of("auto", "sofware", "none_0")) {
            assertThat(process().with(DEVICE + choice).run(Availability.class)).satisfiesExactly(
                    text -> assertThat(text)
                            .startsWith(DEVICE + choice + " is neither a device of this machine (")
                            .contains(") nor one of the words system, any, software")
                            .doesNotContain("/sys/class", "modprobe"),
                    text -> assertThat(text).isEqualTo("[]"));
        }
    }

    /** Not only its library, but the file that its processes share is needed. */
    @Test
    void softwareDeviceWithoutItsDirectoryIsUnavailable() throws Exception {
        assertThat(process().withVariable("SOFTHCA_DIR", "/nonexistent").with(DEVICE + "software")
                .run(Availability.class)).satisfiesExactly(
                text -> assertThat(text).startsWith("ibv_open_device failed for softhca0: ENOENT (2); ")
                        .contains("SOFTHCA_DIR").doesNotContain("modprobe", "/dev/infiniband"),
                text -> assertThat(text).isEqualTo("[]"));
    }

    @Test
    void anUnknownLibraryIsRefused() {
        NativeLibrary.ensureShim();
        assertThat(LibraryNative.open(3, "libc.so.6")).isEqualTo("there is no library number 3");
        assertThat(LibraryNative.open(-1, "libc.so.6")).isEqualTo("there is no library number -1");
    }

    @Test
    void missingFileIsNamedAndAnotherCanBeLoaded() throws Exception {
        assertThat(process().run(Open.class, "libnosuch.so.1", "/nonexistent/libefa.so.1", "libc.so.6",
                "/nonexistent/libefa.so.1")).satisfiesExactly(
                        // RdmaLibraries sees by the slash whether there is a file.
                        text -> assertThat(text).startsWith("libnosuch.so.1: cannot open shared object"),
                        text -> assertThat(text).startsWith("/nonexistent/libefa.so.1: cannot open shared object"),
                        text -> assertThat(text).startsWith("symbol efadv_").endsWith(" is missing in libc.so.6"),
                        text -> assertThat(text).startsWith("/nonexistent/libefa.so.1: cannot open shared object"));
    }

    @Test
    void brokenLibraryHasNoAdviceToInstallIt() throws Exception {
        breakLibrary("libibverbs.so.1");
        assertThat(process().with(DEVICE + "system").run(Causes.class)).hasSize(2).allSatisfy(text -> assertThat(text)
                .contains(directory + "/libibverbs.so.1", "repair or reinstall it").doesNotContain("apt-get"));
    }

    @Test
    void anyUsesTheSoftwareDeviceWithoutVerbs() throws Exception {
        breakLibrary("libibverbs.so.1");
        assertThat(process().with(DEVICE + "any").run(Causes.class)).containsExactly("null", "null");
    }

    @Test
    void missingConnectionManagerLeavesVerbsAvailable() throws Exception {
        breakLibrary("librdmacm.so.1");
        List<String> causes = process().with(DEVICE + "system").run(Causes.class);
        assertThat(causes).hasSize(2);
        // The message names this library, or libibverbs if that is missing too.
        assertThat(causes.get(1)).contains("null".equals(causes.get(0)) ? "librdmacm.so.1" : "libibverbs.so.1");
    }

    @Test
    void unsupportedSystemIsNamed() throws Exception {
        assertThat(process().with("-Dos.name=Windows 11").run(Causes.class)).hasSize(2)
                .allSatisfy(text -> assertThat(text)
                        .isEqualTo("RDMA needs Linux, but this is windows-" + PlatformDependent.normalizedArch()));
    }

    /** Prints the causes for verbs and for the connection manager, one per line. */
    static final class Causes {

        private Causes() {
        }

        public static void main(String[] args) {
            print(NativeLibrary.verbsUnavailabilityCause(), NativeLibrary::ensureVerbs);
            print(NativeLibrary.cmUnavailabilityCause(), NativeLibrary::ensureCm);
        }

        private static void print(Throwable cause, Runnable ensure) {
            try {
                ensure.run();
                System.out.println(cause);
            } catch (UnsatisfiedLinkError e) {
                System.out.println(e.getCause() == cause ? e.getMessage() : "another cause than of " + e);
            }
        }
    }

    /** Prints whether RDMA is available, or why not, and its devices. */
    static final class Availability {

        private Availability() {
        }

        public static void main(String[] args) {
            Throwable cause = Rdma.unavailabilityCause();
            System.out.println(cause == null ? "available" : cause.getMessage());
            System.out.println(Rdma.devices());
        }
    }

    /** Opens libefa at each of the paths and prints the results. */
    static final class Open {

        private Open() {
        }

        public static void main(String[] paths) throws IOException {
            // By itself it opens no other library, as NativeLibrary does.
            try (LibraryFile shim = LibraryFile.shim(Open.class.getClassLoader())) {
                System.load(shim.path().toString());
            }
            for (String path : paths) {
                System.out.println(LibraryNative.open(LibraryNative.EFA, path));
            }
        }
    }

    /** Puts a file that is not a library before the system's. */
    private void breakLibrary(String name) throws IOException {
        Files.createFile(directory.resolve(name));
    }

    private JavaProcess process() throws Exception {
        return new JavaProcess(directory);
    }
}
