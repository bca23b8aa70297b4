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
package io.nettyrdma.integrations;

import io.netty.channel.Channel;
import io.nettyrdma.fallback.FallbackReason;
import io.nettyrdma.fallback.RdmaOrTcp;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Appends a line to a file for each program and carrier: the numbers of its tests that passed, failed and were skipped,
 * their milliseconds, and the connects by RDMA and by TCP of channels that may use either. {@code bin/test-frameworks}
 * makes a table of the file. JUnit finds this class by {@code META-INF/services}, and runs one test at a time.
 */
public final class Results implements TestExecutionListener {

    private static final String FILE = "io.nettyrdma.integrations.results";
    private static final Pattern VERSION = Pattern.compile("-(?=\\d)");

    private final Map<String, long[]> counts = new TreeMap<>();
    private TestPlan plan;
    private long started;
    private long rdmaBefore;
    private long tcpBefore;

    private enum Count {
        PASSED,
        FAILED,
        SKIPPED,
        MILLIS,
        CONNECTS_BY_RDMA,
        CONNECTS_BY_TCP
    }

    @Override
    public void testPlanExecutionStarted(TestPlan begun) {
        plan = begun;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest()) {
            started = System.nanoTime();
            rdmaBefore = RdmaOrTcp.connectionsByRdma();
            tcpBefore = connectsByTcp();
        }
    }

    private static long connectsByTcp() {
        return Stream.of(FallbackReason.values()).mapToLong(RdmaOrTcp::connectionsByTcp).sum();
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean failed = result.getStatus() == Status.FAILED;
        if (test.isTest() || failed) {
            add(test, failed ? Count.FAILED
                    : result.getStatus() == Status.ABORTED ? Count.SKIPPED : Count.PASSED, 1);
        }
        if (test.isTest()) {
            add(test, Count.MILLIS, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started));
            add(test, Count.CONNECTS_BY_RDMA, RdmaOrTcp.connectionsByRdma() - rdmaBefore);
            add(test, Count.CONNECTS_BY_TCP, connectsByTcp() - tcpBefore);
        }
    }

    /** A skipped class or method counts as one. */
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        add(test, Count.SKIPPED, 1);
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        String file = System.getProperty(FILE);
        if (file == null || counts.isEmpty()) {
            return;
        }
        String lines = counts.entrySet().stream().map(entry -> entry.getKey() + Arrays.stream(entry.getValue())
                .mapToObj(number -> "\t" + number).collect(Collectors.joining()) + '\n').collect(Collectors.joining());
        try {
            Path path = Path.of(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(TestIdentifier test, Count count, long number) {
        String key = String.join("\t", program(test), version(Channel.class), carrier(test));
        counts.computeIfAbsent(key, none -> new long[Count.values().length])[count.ordinal()] += number;
    }

    private String program(TestIdentifier test) {
        for (TestIdentifier at = test; at != null; at = plan.getParent(at).orElse(null)) {
            Class<?> type = at.getSource().map(source -> source instanceof MethodSource method ? method.getJavaClass()
                    : source instanceof ClassSource tests ? tests.getJavaClass() : null).orElse(null);
            if (type != null) {
                Tested tested = type.getAnnotation(Tested.class);
                return tested == null ? type.getSimpleName() + "\t" : jar(tested.value())[0] + '\t'
                        + version(tested.value());
            }
        }
        return test.getDisplayName() + '\t';
    }

    /** The carrier is the test's parameter, which its name contains. */
    private static String carrier(TestIdentifier test) {
        return Arrays.stream(Carrier.values()).map(Carrier::name)
                .filter(name -> Pattern.compile("\\b" + name + "\\b").matcher(test.getDisplayName()).find())
                .findFirst().orElse("-");
    }

    private static String version(Class<?> type) {
        String[] jar = jar(type);
        return jar.length < 2 ? "" : jar[1];
    }

    /** Name and version. */
    private static String[] jar(Class<?> type) {
        String path = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        return VERSION.split(Path.of(path).getFileName().toString().replaceFirst("\\.jar$", ""), 2);
    }
}
