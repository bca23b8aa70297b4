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
package io.nettyrdma.testsuite.netty;

import io.nettyrdma.testsuite.netty.ConformanceRecord.Ending;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import static java.util.stream.Collectors.groupingBy;

/**
 * Records the result of each of Netty's tests: in the directory that a property names, with a file for each class and a
 * line for each result. {@link ConformancePage} reads them.
 *
 * <p>JUnit finds this class by its name in {@code META-INF/services}. Any thread that runs tests.
 */
public final class ConformanceRecorder implements TestExecutionListener {

    /** Without it nothing is recorded. */
    private static final String PROPERTY = "io.nettyrdma.testsuite.conformance";
    private static final String OURS = ConformanceRecorder.class.getPackageName() + ".Rdma";
    /** Matches a segment of JUnit's identifiers. */
    private static final String INVOCATION_OF_CLASS = "class-template-invocation";

    private final String directory = System.getProperty(PROPERTY);
    private final List<ConformanceRecord> records = new ArrayList<>();
    private TestPlan plan;

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan started) {
        plan = started;
        records.clear();
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        record(test, Ending.SKIPPED);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest()) {
            record(test, switch (result.getStatus()) {
            case SUCCESSFUL -> Ending.PASSED;
            case ABORTED -> Ending.SKIPPED;
            case FAILED -> Ending.FAILED;
            });
        }
    }

    private synchronized void record(TestIdentifier test, Ending ending) {
        TestSource source = test.getSource().orElse(null);
        if (directory != null && source instanceof MethodSource method && method.getClassName().startsWith(OURS)) {
            boolean deviates = ending == Ending.PASSED && deviates(method);
            records.add(new ConformanceRecord(method.getClassName().substring(OURS.length()), method.getMethodName(),
                    permutation(test), deviates ? Ending.DEVIATES : ending));
        }
    }

    /** The methods that JUnit knows call overloads of the same name with bootstraps, which are overridden. */
    private static boolean deviates(MethodSource test) {
        return Arrays.stream(test.getJavaClass().getDeclaredMethods()).anyMatch(each ->
                each.isAnnotationPresent(Deviates.class) && each.getName().equals(test.getMethodName()));
    }

    private String permutation(TestIdentifier test) {
        return Stream.iterate(test, each -> plan.getParent(each).orElse(null))
                .takeWhile(each -> each != null)
                .filter(each -> each.getUniqueIdObject().getLastSegment().getType().equals(INVOCATION_OF_CLASS))
                .map(TestIdentifier::getDisplayName).findFirst().orElse("");
    }

    @Override
    public synchronized void testPlanExecutionFinished(TestPlan finished) {
        records.stream().sorted().collect(groupingBy(ConformanceRecord::type)).forEach(this::write);
    }

    private void write(String type, List<ConformanceRecord> lines) {
        try {
            Path file = Files.createDirectories(Path.of(directory)).resolve(type + ".tsv");
            Files.write(file, lines.stream().map(ConformanceRecord::line).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
