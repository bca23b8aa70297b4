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
package io.nettyrdma.testsuite.lane;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.reporting.legacy.xml.LegacyXmlReportGeneratingListener;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/**
 * One JVM of a lane: runs the tests with a tag, class by class, as long as the queue has some. Several of them share
 * the queue. {@code testsuite/lanes/run-tests} starts them, and reads their output and their reports.
 */
final class LaneJvm {

    private final String tag;
    private final Path reports;

    private LaneJvm(String tag, Path reports) {
        this.tag = tag;
        this.reports = reports;
    }

    /** @param arguments the file of the queue, the tag expression, the directory of the reports. */
    public static void main(String[] arguments) throws Exception {
        ClassQueue queue = new ClassQueue(Path.of(arguments[0]));
        LaneJvm jvm = new LaneJvm(arguments[1], Path.of(arguments[2]));
        boolean passed = true;
        try (LauncherSession session = LauncherFactory.openSession()) {
            for (Optional<String> name = queue.take(); name.isPresent(); name = queue.take()) {
                passed &= jvm.run(session.getLauncher(), name.get());
            }
        }
        System.exit(passed ? 0 : 1);
    }

    /** A report for each class: JUnit's writer has one file for a run. */
    private boolean run(Launcher launcher, String name) throws Exception {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(name))
                .filters(TagFilter.includeTags(tag)).build();
        TestPlan plan = launcher.discover(request);
        if (plan.countTestIdentifiers(TestIdentifier::isTest) == 0
                && !plan.getRoots().stream().anyMatch(root -> !plan.getChildren(root).isEmpty())) {
            return true;
        }
        System.out.println("Running " + name);
        Count count = new Count();
        Path directory = Files.createDirectories(reports.resolve(name));
        PrintWriter errors = new PrintWriter(System.err, true);
        launcher.execute(plan, count, new LegacyXmlReportGeneratingListener(directory, errors));
        System.out.println(count.text(name));
        return count.failed == 0;
    }

    /** Counts, and prints failures at once. */
    private static final class Count implements TestExecutionListener {

        private final long start = System.nanoTime();
        private int passed;
        private int failed;
        private int skipped;

        @Override
        public synchronized void executionSkipped(TestIdentifier test, String reason) {
            skipped++;
        }

        @Override
        public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == Status.FAILED) {
                failed++;
                System.out.println(test.getUniqueId() + ' ' + test.getDisplayName() + " :: FAILED");
                result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
            } else if (test.isTest()) {
                if (result.getStatus() == Status.SUCCESSFUL) {
                    passed++;
                } else {
                    skipped++;
                }
            }
        }

        synchronized String text(String name) {
            return "%d passed, %d failed, %d skipped in %.1f s: %s".formatted(passed, failed, skipped,
                    (System.nanoTime() - start) / 1e9, name);
        }
    }
}
