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
package io.nettyrdma.testsuite.arch;

import io.nettyrdma.testsuite.support.ProjectTree;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A copy of our scripts in an empty tree, with a JDK and other tools that only record how they were called. */
final class ScriptTree {

    static final Path ROOT = ProjectTree.directory("bin").getParent();

    private final Path directory;
    private final Path root;
    private final Path jdk;
    private final Path tools;
    private final List<String> wrapper = new ArrayList<>();

    record Result(int status, List<String> output, String errors) {

        /** What the program would get. */
        List<String> words(String main) {
            return output.subList(output.indexOf(main) + 1, output.size());
        }
    }

    /** @param directory empty; the copy is `tree` in it, and the working directory of each script. */
    ScriptTree(Path directory) throws IOException {
        this.directory = directory;
        root = directory.resolve("tree");
        jdk = directory.resolve("jdk");
        tools = directory.resolve("tools");
        copy("bin");
        Files.delete(root.resolve("bin/setup"));
        tool(root.resolve("bin/setup"), "true");
        tool(jdk.resolve("bin/java"), "printf '%s\\n' \"$@\"");
        tool(jdk.resolve("bin/javac"), "echo javac 17");
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    }

    Path root() {
        return root;
    }

    Path jdk() {
        return jdk;
    }

    void copy(String part) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(part))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = root.resolve(ROOT.relativize(file));
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }

    /** A file of the tree. */
    Path write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    /** Puts a program before those of the PATH. */
    void tool(String name, String command) throws IOException {
        tool(tools.resolve(name), command);
    }

    void tool(Path file, String command) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + command + '\n');
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /**
     * In a namespace of its own: root may write wherever the mode says it may not.
     *
     * @return false if this user may not mount.
     */
    boolean mountReadOnly() throws Exception {
        wrapper.addAll(List.of("unshare", "root".equals(System.getProperty("user.name")) ? "-m" : "-Urm", "bash", "-c",
                "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"", root.toString()));
        return start("true").waitFor() == 0;
    }

    Result run(String script, String... words) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(root.resolve(script).toString());
        command.addAll(List.of(words));
        Process process = start(command.toArray(String[]::new));
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output.lines().toList(), Files.readString(directory.resolve("errors")));
    }

    private Process start(String... words) throws IOException {
        List<String> command = new ArrayList<>(wrapper);
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile())
                .redirectError(directory.resolve("errors").toFile());
        builder.environment().merge("PATH", tools.toString(), (old, added) -> added + ':' + old);
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("XDG_CACHE_HOME", directory.resolve("cache").toString());
        return builder.start();
    }
}
