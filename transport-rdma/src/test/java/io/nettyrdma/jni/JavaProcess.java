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

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.internal.PlatformDependent;

import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A JVM for one program: libraries are opened once per process. */
final class JavaProcess {

    /** Netty's library. */
    static final String EPOLL = "netty_transport_native_epoll_" + PlatformDependent.normalizedArch();

    /** Of an artifact whose module ours does not read. */
    private static final String UNREAD = "io.netty.resolver.AddressResolver";

    private static final int SECONDS = 60;

    private final Path directory;
    private final List<String> wrapper = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final List<String> classPath = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();

    /** @param directory for the output; first in the path of the dynamic linker. */
    JavaProcess(Path directory) throws Exception {
        this.directory = directory;
        environment.put("LD_LIBRARY_PATH", directory.toString());
        // The tests may run on the module path, from which their main classes could not be started.
        for (Class<?> type : List.of(JavaProcess.class, NativeLibrary.class, PlatformDependent.class, ByteBuf.class,
                Channel.class, Class.forName(UNREAD), FileDescriptor.class, Epoll.class)) {
            classPath.add(location(type));
        }
        classPath.add(artifact(LibraryFile.SHIM).toString());
        classPath.add(artifact(EPOLL).toString());
    }

    /** The jar or directory that has a native library. */
    private static Path artifact(String name) throws Exception {
        URL library = library(name);
        return library.openConnection() instanceof JarURLConnection jar ? Path.of(jar.getJarFileURL().toURI())
                : Path.of(library.toURI()).getParent().getParent().getParent();
    }

    static URL library(String name) {
        URL library = NativeLibrary.class.getClassLoader().getResource("META-INF/native/"
                + System.mapLibraryName(name));
        assertThat(library).isNotNull();
        return library;
    }

    JavaProcess without(String library) throws Exception {
        classPath.remove(artifact(library).toString());
        return this;
    }

    JavaProcess without(Class<?> oneOfTheJar) throws Exception {
        classPath.remove(location(oneOfTheJar));
        return this;
    }

    JavaProcess withEntry(Path entry) {
        classPath.add(entry.toString());
        return this;
    }

    private static String location(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    }

    JavaProcess with(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    JavaProcess withVariable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Mounts a file system in memory over a directory, which no other process sees. Skips the test if it may not. */
    JavaProcess withMount(Path mountPoint, String mountOptions) throws Exception {
        // A user who is not root becomes it in a namespace of his own.
        String unshare = "root".equals(System.getProperty("user.name")) ? "-m" : "-Urm";
        wrapper.addAll(List.of("unshare", unshare, "bash", "-c",
                "mount -t tmpfs -o " + mountOptions + " tmpfs \"$0\" && exec \"$@\"", mountPoint.toString()));
        List<String> trial = new ArrayList<>(wrapper);
        trial.add("true");
        assumeTrue(new ProcessBuilder(trial).inheritIO().start().waitFor() == 0, "this user may not mount");
        return this;
    }

    /** The lines that the program prints. It must end with status 0. */
    List<String> run(Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main.getName()));
        command.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("%s ends", main).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(Files.readString(err)).isZero();
        return Files.readAllLines(out);
    }
}
