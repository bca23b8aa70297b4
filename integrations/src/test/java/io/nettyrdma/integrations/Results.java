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
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Appends a line to a file for each program and carrier: the results of its tests. {@code bin/test-frameworks} makes a
 * table of the file. JUnit finds this class by {@code META-INF/services}.
 */
public final class Results implements TestExecutionListener {

    private static final String FILE = "io.nettyrdma.integrations.results";
    private static final Pattern VERSION = Pattern.compile("-(?=\\d)");

    private final Map<String, int[]> counts = new TreeMap<>();
    private TestPlan plan;

    private enum Outcome {
        PASSED,
        FAILED,
        SKIPPED
    }

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        boolean failed = result.getStatus() == Status.FAILED;
        if (test.isTest() || failed) {
            count(test, failed ? Outcome.FAILED
                    : result.getStatus() == Status.ABORTED ? Outcome.SKIPPED : Outcome.PASSED);
        }
    }

    /** A skipped class or method counts as one. */
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        count(test, Outcome.SKIPPED);
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        String file = System.getProperty(FILE);
        if (file == null || counts.isEmpty()) {
            return;
        }
        String lines = counts.entrySet().stream().map(entry -> entry.getKey() + Arrays.stream(entry.getValue())
                .mapToObj(count -> "\t" + count).collect(Collectors.joining()) + '\n').collect(Collectors.joining());
        try {
            Path path = Path.of(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void count(TestIdentifier test, Outcome outcome) {
        String key = String.join("\t", program(test), version(Channel.class), carrier(test));
        counts.computeIfAbsent(key, none -> new int[Outcome.values().length])[outcome.ordinal()]++;
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
