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

import io.netty.channel.Channel;
import io.netty.util.internal.PlatformDependent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** Provokes each failure to load a library of ours, and expects the cure that is true then, and no other. */
class LoadFailureTest {

    private static final String ARTIFACT = "add the artifact netty-transport-rdma-native";
    private static final String WORK_DIRECTORY = "-Dio.netty.native.workdir";

    @TempDir
    private Path directory;

    @Test
    void missingLibraryNamesTheArtifact() throws Exception {
        assertThat(cause(process().without(LibraryFile.SHIM))).startsWith("META-INF/native/"
                + System.mapLibraryName(LibraryFile.SHIM) + " is not on the class path: " + ARTIFACT
                + " with classifier linux-" + PlatformDependent.normalizedArch());
    }

    @Test
    void noexecDirectoryIsNamed() throws Exception {
        Path work = workDirectory();
        assertThat(cause(process().withMount(work, "noexec").with(WORK_DIRECTORY + '=' + work)))
                .startsWith("the native library jar:file:")
                .endsWith("); " + work + " is mounted noexec: set " + WORK_DIRECTORY + " to another directory");
    }

    @Test
    void failureOfSoftwareLibraryNamesTheSoftwareDevice() throws Exception {
        unpack(LibraryFile.SHIM);
        Path work = workDirectory();
        assertThat(cause(process().withMount(work, "noexec").with(WORK_DIRECTORY + '=' + work,
                "-Djava.library.path=" + directory))).startsWith("the software device jar:file:")
                .endsWith("); " + work + " is mounted noexec: set " + WORK_DIRECTORY + " to another directory");
    }

    @ParameterizedTest
    @ValueSource(strings = { "ro", "size=4k" })
    void readOnlyDirectoryIsNamed(String mountOptions) throws Exception {
        Path work = workDirectory();
        assertThat(cause(process().withMount(work, mountOptions).with(WORK_DIRECTORY + '=' + work)))
                .startsWith("cannot copy jar:file:").contains(" to " + work + " (", "set " + WORK_DIRECTORY)
                .doesNotContain(ARTIFACT);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void anOlderGlibcIsNamed(boolean shim) throws Exception {
        String name = shim ? LibraryFile.SHIM : LibraryFile.SOFTWARE;
        unpack(LibraryFile.SHIM);
        Path library = unpack(name);
        Matcher version = Pattern.compile("GLIBC_[0-9.]+").matcher(text(library));
        assertThat(version.find()).isTrue();
        String newer = "GLIBC_" + "9".repeat(version.group().length() - "GLIBC_".length());
        replace(library, version.group() + '\0', newer + '\0');
        assertThat(cause(process().with("-Djava.library.path=" + directory)))
                .contains(library + " could not be loaded (").endsWith("); it needs glibc " + newer.substring(6)
                        + ", and the C library of this system is older: use a newer system");
    }

    @Test
    void invalidLibraryFileHasNoCure() throws Exception {
        Path file = Files.writeString(directory.resolve(System.mapLibraryName(LibraryFile.SHIM)), "no library");
        assertThat(cause(process().with("-Djava.library.path=" + directory)))
                .startsWith("the native library " + file + " could not be loaded (").endsWith(")");
    }

    @Test
    void differentVersionOfTheLibraryIsNamed() throws Exception {
        Path library = unpack(LibraryFile.SHIM);
        replace(library, "nrdma_gid", "nrdma_gad");
        assertThat(cause(process().with("-Djava.library.path=" + directory))).startsWith("the native library "
                + library + " is of another version than this code; use the same version of both jars");
    }

    @Test
    @EnabledForJreRange(minVersion = 24)
    void deniedNativeAccessNamesTheOption() throws Exception {
        assertThat(cause(process().with("--illegal-native-access=deny"))).startsWith("the native library jar:file:")
                .endsWith("); permit it with --enable-native-access=ALL-UNNAMED");
    }

    @Test
    void outdatedNettyIsNamedWithTheRequiredVersion() throws Exception {
        assertThat(cause(process().without(Channel.class))).startsWith("RDMA needs Netty 4.2.0.Final or newer, and "
                + "netty-transport is missing here: ");
        Path properties = Files.createDirectories(directory.resolve("old/META-INF"))
                .resolve("io.netty.versions.properties");
        String facts = Stream.of("version=4.1.99.Final", "buildDate=2025-01-01 00\\:00\\:00 +0000",
                "commitDate=2025-01-01 00\\:00\\:00 +0000", "shortCommitHash=0", "longCommitHash=0",
                "repoStatus=clean").map("netty-transport."::concat).collect(Collectors.joining("\n"));
        Files.writeString(properties, facts);
        assertThat(cause(process().without(Channel.class).withEntry(directory.resolve("old"))))
                .contains("netty-transport is 4.1.99.Final here: take all of Netty from one version of its BOM");
    }

    @Test
    void missingEpollLibraryNamesTheArtifact() throws Exception {
        assertThat(cause(process().without(JavaProcess.EPOLL))).startsWith("the event loops wait by Netty's epoll")
                .endsWith("add the artifact io.netty:netty-transport-native-epoll with classifier linux-"
                        + PlatformDependent.normalizedArch() + ", of the same version as the rest of Netty");
    }

    /** Each application of a container has class loaders of its own. */
    @Test
    void unpackedLibraryLoadsInOneClassLoaderOnly() throws Exception {
        Path library = unpack(LibraryFile.SHIM);
        assertThat(process().with("-Djava.library.path=" + directory).run(TwoApplications.class)).satisfiesExactly(
                text -> assertThat(text).isEqualTo("null"),
                text -> assertThat(text).endsWith("; one class loader alone can have this file: leave the library in "
                        + "its jar, so that each unpacks its own, or put these classes where all applications share "
                        + "them"));
        Files.delete(library);
        assertThat(process().run(TwoApplications.class)).containsExactly("null", "null");
    }

    /** Prints why neither, or the second, can use the library. */
    static final class TwoApplications {

        private TwoApplications() {
        }

        public static void main(String[] arguments) throws Exception {
            List<URL> urls = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            for (int i = 0; i < 2; i++) {
                ClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
                Method ensure = loader.loadClass(NativeLibrary.class.getName()).getMethod("ensureShim");
                try {
                    ensure.invoke(null);
                    System.out.println("null");
                } catch (InvocationTargetException e) {
                    System.out.println(e.getCause().getMessage());
                }
            }
        }
    }

    private static String cause(JavaProcess process) throws Exception {
        return process.with("-Dio.nettyrdma.device=software").run(NativeLibraryTest.Availability.class).get(0);
    }

    private JavaProcess process() throws Exception {
        return new JavaProcess(directory);
    }

    private Path workDirectory() throws IOException {
        return Files.createDirectory(directory.resolve("work"));
    }

    private Path unpack(String name) throws IOException {
        Path file = directory.resolve(System.mapLibraryName(name));
        if (!Files.exists(file)) {
            try (InputStream in = JavaProcess.library(name).openStream()) {
                Files.copy(in, file);
            }
        }
        return file;
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    private static void replace(Path file, String before, String after) throws IOException {
        String text = text(file);
        assertThat(text).contains(before);
        Files.writeString(file, text.replace(before, after), StandardCharsets.ISO_8859_1);
    }
}
