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

import io.netty.util.internal.NativeLibraryLoader;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.Rdma;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** Libraries are opened once per process, so each case that must fail there has a process of its own. */
class NativeLibraryTest {

    private static final String SHIM = "netty_transport_rdma_" + PlatformDependent.normalizedArch();
    private static final String DEVICE = "-Dio.nettyrdma.device=";
    private static final int PROCESS_SECONDS = 60;

    @TempDir
    private Path directory;
    /** Of the processes. */
    private final Map<String, String> environment = new HashMap<>();

    @Test
    void theShimLoadsHere() {
        assertThatNoException().isThrownBy(NativeLibrary::ensureShim);
    }

    /** Whoever asks for a device and gets one wants it to reach other machines. */
    @Test
    void softwareIsNeverTakenUnasked() throws Exception {
        for (List<String> options : List.of(List.<String>of(), List.of(DEVICE + "system"))) {
            List<String> lines = run(classPath(true), options, Availability.class);
            assertThat(lines.get(1)).doesNotContain("software");
            if (!"available".equals(lines.get(0))) {
                assertThat(lines.get(0)).contains(DEVICE + "software");
                assertThat(lines.get(1)).isEqualTo("[]");
            }
        }
    }

    @Test
    void theSoftwareDeviceIsAvailableIfItIsChosen() throws Exception {
        for (String choice : List.of("software", "softhca0")) {
            assertThat(run(classPath(true), List.of(DEVICE + choice), Availability.class))
                    .containsExactly("available", "[softhca0 (software)]");
        }
    }

    /** No machine needs rdma-core or a device then. */
    @Test
    void anyIsAvailableEverywhere() throws Exception {
        assertThat(run(classPath(true), List.of(DEVICE + "any"), Availability.class).get(0)).isEqualTo("available");
    }

    @Test
    void aNameOfNoDeviceIsReportedWithTheNamesThatThereAre() throws Exception {
        assertThat(run(classPath(true), List.of(DEVICE + "softhca77"), Availability.class)).containsExactly(
                DEVICE + "softhca77 is no device: the software device is called softhca0", "[]");
        for (String choice : List.of("auto", "sofware", "none_0")) {
            assertThat(run(classPath(true), List.of(DEVICE + choice), Availability.class)).satisfiesExactly(
                    text -> assertThat(text).startsWith(DEVICE + choice + " is neither a device of this machine [")
                            .contains("] nor one of the words system, any, software")
                            .doesNotContain("/sys/class", "modprobe"),
                    text -> assertThat(text).isEqualTo("[]"));
        }
    }

    /** Not only its library, but the file that its processes share is needed. */
    @Test
    void aSoftwareDeviceWithoutItsDirectoryIsNotAvailable() throws Exception {
        environment.put("SOFTHCA_DIR", "/nonexistent");
        assertThat(run(classPath(true), List.of(DEVICE + "software"), Availability.class)).satisfiesExactly(
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
    void aMissingFileIsNamedAndAnotherMayBeTried() throws Exception {
        assertThat(runHere(Open.class, "/nonexistent/libefa.so.1", "libc.so.6", "/nonexistent/libefa.so.1"))
                .satisfiesExactly(
                        text -> assertThat(text).startsWith("/nonexistent/libefa.so.1: cannot open shared object"),
                        text -> assertThat(text).startsWith("symbol efadv_").endsWith(" is missing in libc.so.6"),
                        text -> assertThat(text).startsWith("/nonexistent/libefa.so.1: cannot open shared object"));
    }

    @Test
    void withoutVerbsNothingIsThereAndThePackageIsNamed() throws Exception {
        breakLibrary("libibverbs.so.1");
        assertThat(run(classPath(true), List.of(DEVICE + "system"), Causes.class)).hasSize(2)
                .allSatisfy(text -> assertThat(text).contains("libibverbs.so.1").contains("install rdma-core")
                        .contains("apt-get install rdma-core ibverbs-providers").contains("dnf install rdma-core"));
    }

    @Test
    void withoutVerbsAnyTakesTheSoftwareDevice() throws Exception {
        breakLibrary("libibverbs.so.1");
        assertThat(run(classPath(true), List.of(DEVICE + "any"), Causes.class)).containsExactly("null", "null");
    }

    @Test
    void withoutTheConnectionManagerThePackageIsNamed() throws Exception {
        breakLibrary("librdmacm.so.1");
        List<String> causes = run(classPath(true), List.of(DEVICE + "system"), Causes.class);
        assertThat(causes).hasSize(2);
        // The message names this library, or libibverbs if that is missing too.
        assertThat(causes.get(1)).contains("install rdma-core")
                .contains("null".equals(causes.get(0)) ? "librdmacm.so.1" : "libibverbs.so.1");
    }

    @Test
    void withoutTheShimTheArtifactIsNamed() throws Exception {
        assertThat(run(classPath(false), List.of(), Causes.class)).hasSize(2).allSatisfy(text -> assertThat(text)
                .startsWith("the native library " + SHIM + " could not be loaded")
                .endsWith("add the artifact netty-transport-rdma-native with classifier linux-"
                        + PlatformDependent.normalizedArch() + " to the class path"));
    }

    @Test
    void anotherSystemIsNamed() throws Exception {
        assertThat(run(classPath(true), List.of("-Dos.name=Windows 11"), Causes.class)).hasSize(2)
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

        public static void main(String[] paths) {
            NativeLibraryLoader.load(SHIM, Open.class.getClassLoader());
            for (String path : paths) {
                System.out.println(LibraryNative.open(LibraryNative.EFA, path));
            }
        }
    }

    /** Puts a file that is not a library before the system's. */
    private void breakLibrary(String name) throws IOException {
        Files.createFile(directory.resolve(name));
    }

    private List<String> runHere(Class<?> main, String... arguments) throws Exception {
        return run(classPath(true), List.of(), main, arguments);
    }

    private List<String> run(List<String> classPath, List<String> options, Class<?> main, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main.getName()));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("LD_LIBRARY_PATH", directory.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(PROCESS_SECONDS, TimeUnit.SECONDS)).as("%s ends", main).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        return Files.readAllLines(out);
    }

    /** The tests may run on the module path, from which their main classes could not be started. */
    private static List<String> classPath(boolean withShim) throws IOException, URISyntaxException {
        List<String> path = new ArrayList<>();
        for (Class<?> type : List.of(NativeLibraryTest.class, NativeLibrary.class, NativeLibraryLoader.class)) {
            path.add(Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        }
        if (withShim) {
            URL library = NativeLibrary.class.getClassLoader().getResource("META-INF/native/lib" + SHIM + ".so");
            assertThat(library).isNotNull();
            path.add(library.openConnection() instanceof JarURLConnection
                    ? Path.of(((JarURLConnection) library.openConnection()).getJarFileURL().toURI()).toString()
                    : Path.of(library.toURI()).getParent().getParent().getParent().toString());
        }
        return path;
    }
}
