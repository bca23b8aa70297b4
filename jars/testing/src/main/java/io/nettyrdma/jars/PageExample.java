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
package io.nettyrdma.jars;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * A program on the page docs/jars.md, which is compiled and runs in a JVM with this one's class path. It knows nothing
 * of RDMA; {@link CountedRun} counts its connections. Not safe for use by several threads.
 */
public final class PageExample {

    private static final String PAGE = "docs/jars.md";
    private static final Pattern CLASS = Pattern.compile("^public (?:final )?class (\\w+)", Pattern.MULTILINE);
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final int SECONDS = 120;

    private final Path directory;
    private final String name;
    private final String mainClass;

    /**
     * Compiles a program.
     *
     * @param heading of the section of the page that has it.
     * @param directory for its files.
     */
    public PageExample(String heading, Path directory) throws IOException {
        String source = source(heading);
        this.directory = directory;
        name = find(CLASS, source, "public class");
        Matcher owner = PACKAGE.matcher(source);
        mainClass = owner.find() ? owner.group(1) + '.' + name : name;
        Path file = Files.writeString(directory.resolve(name + ".java"), source);
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, errors, processing(), "-parameters", "-d",
                directory.toString(), "-cp", classPath(), file.toString());
        if (status != 0) {
            throw new AssertionError(PAGE + ", " + heading + ":\n" + errors.toString(StandardCharsets.UTF_8));
        }
    }

    /** Frameworks may bring processors of annotations. Later compilers run them only if they are asked to. */
    private static String processing() {
        return Runtime.version().feature() < 21 ? "-Xlint:none" : "-proc:full";
    }

    private static String source(String heading) throws IOException {
        Pattern section = Pattern.compile("^## " + Pattern.quote(heading) + "$.*?^```java\n(.*?)^```",
                Pattern.MULTILINE | Pattern.DOTALL);
        return find(section, Files.readString(page()), heading);
    }

    private static String find(Pattern pattern, String text, String what) {
        Matcher found = pattern.matcher(text);
        if (!found.find()) {
            throw new AssertionError(PAGE + " has no " + what);
        }
        return found.group(1);
    }

    private static Path page() {
        for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
            if (Files.exists(dir.resolve(PAGE))) {
                return dir.resolve(PAGE);
            }
        }
        throw new IllegalStateException("no " + PAGE + " at or above " + Path.of("").toAbsolutePath());
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    /**
     * Runs the program until its JVM ends by itself, which takes no more than {@value #SECONDS} seconds.
     *
     * @param jvmOptions such as {@code -Dio.nettyrdma.policy=tcp}.
     * @return what it wrote to both streams, and its status in the last line.
     */
    public String run(String... jvmOptions) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1", "-Dio.netty.leakDetection.level=paranoid"));
        command.addAll(List.of(jvmOptions));
        command.addAll(List.of("-cp", directory + ":" + classPath(), CountedRun.class.getName(), mainClass));
        Path output = directory.resolve(name + ".log");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean hasEnded = process.waitFor(SECONDS, TimeUnit.SECONDS);
        if (!hasEnded) {
            process.destroyForcibly().waitFor();
        }
        return Files.readString(output) + (hasEnded ? "status: " + process.exitValue() : "status: it did not end");
    }
}
