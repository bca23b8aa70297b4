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
package io.nettyrdma.testsuite.support;

import io.nettyrdma.buffer.RdmaByteBufAllocator;
import io.nettyrdma.verbs.RdmaDevice;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The resources that this process holds.
 *
 * @param descriptors open file descriptors, except those of class archives.
 * @param residentBytes memory in RAM.
 * @param deviceObjects how many objects of each kind the kernel has for the device, of all processes; empty where the
 *        numbers cannot be read.
 * @param registrations how many of the memory regions are chunks of the default allocator, or were: it keeps an unused
 *        chunk, and connections that overlap may need one chunk more than those before them.
 */
public record ProcessResources(int descriptors, long residentBytes, Map<String, Integer> deviceObjects,
                               long registrations) {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");
    private static final Pattern OBJECTS = Pattern.compile("\\b(pd|cq|qp|cm_id|mr|srq) (\\d+)");

    public static ProcessResources now(RdmaDevice device) throws IOException {
        return new ProcessResources(openDescriptors(), residentMemory(), objects(device), chunkRegistrations());
    }

    public static int openDescriptors() throws IOException {
        return openFiles().size();
    }

    /** Excludes class archives, which the JVM opens when it first looks for a class there. */
    private static List<String> openFiles() throws IOException {
        List<String> files = new ArrayList<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                String file = target(descriptor);
                if (file != null && !file.endsWith(".jar")) {
                    files.add(file);
                }
            }
        }
        return files;
    }

    /** {@code null} if it has been closed meanwhile. */
    private static String target(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /**
     * Waits until this process holds no more than before. The JVM briefly opens files at any time; only leaks stay.
     * Holding less is fine: a call that a driver blocked in an earlier test may return now and free what it held.
     */
    public static void awaitNoMoreThan(ProcessResources before) throws IOException {
        Deadline deadline = Deadline.standard();
        List<String> files = openFiles();
        Map<String, Integer> objects = objects(TestDevice.get().device());
        while (files.size() > before.descriptors || before.isExceededBy(objects)) {
            String now = "objects " + objects + " after " + chunkRegistrations() + " registrations, and " + files.size()
                    + " descriptors " + files;
            deadline.pause(() -> "what " + before + " says, but there are " + now);
            files = openFiles();
            objects = objects(TestDevice.get().device());
        }
    }

    private boolean isExceededBy(Map<String, Integer> objects) {
        return objects.entrySet().stream()
                .anyMatch(each -> each.getValue() > deviceObjects.getOrDefault(each.getKey(), 0) + more(each.getKey()));
    }

    private long more(String kind) {
        return kind.equals("mr") ? Math.max(0, chunkRegistrations() - registrations) : 0;
    }

    private static long chunkRegistrations() {
        return RdmaByteBufAllocator.DEFAULT.metric().registrations();
    }

    /** In bytes. */
    public static long residentMemory() throws IOException {
        Matcher resident = RESIDENT.matcher(Files.readString(STATUS));
        if (!resident.find()) {
            throw new IOException(STATUS + " has no VmRSS");
        }
        return Long.parseLong(resident.group(1)) << 10;
    }

    private static Map<String, Integer> objects(RdmaDevice device) throws IOException {
        Map<String, Integer> objects = new TreeMap<>();
        String rdma = findRdmaTool();
        if (rdma == null) {
            return objects;
        }
        Process process = new ProcessBuilder(rdma, "resource", "show", device.name()).redirectErrorStream(true).start();
        try (var output = process.inputReader(StandardCharsets.UTF_8)) {
            output.lines().forEach(line -> OBJECTS.matcher(line).results()
                    .forEach(each -> objects.put(each.group(1), Integer.parseInt(each.group(2)))));
        }
        return objects;
    }

    /** The tool is part of iproute2 and not on every user's path. */
    private static String findRdmaTool() {
        for (String directory : new String[] { "/usr/bin", "/usr/sbin", "/sbin", "/bin" }) {
            File tool = new File(directory, "rdma");
            if (tool.canExecute()) {
                return tool.getPath();
            }
        }
        return null;
    }
}
