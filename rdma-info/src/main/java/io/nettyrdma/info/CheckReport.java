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
package io.nettyrdma.info;

import io.nettyrdma.info.check.Finding;
import io.nettyrdma.info.check.Finding.Level;

import java.util.List;
import java.util.Locale;

/** Findings of {@code --check}: a line for each, and one for its cure. */
final class CheckReport {

    private static final String CURE = " ".repeat(10) + "cure: ";

    private record Row(String level, String check, String text, String cure) {
    }

    private record Document(boolean usable, List<Row> findings) {
    }

    private final List<Finding> findings;

    CheckReport(List<Finding> findings) {
        this.findings = findings;
    }

    /** Whether RDMA can be used here. */
    boolean isUsable() {
        return count(Level.PROBLEM) == 0;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (Finding finding : findings) {
            text.append(String.format(Locale.ROOT, "%-9s %s: %s%n", word(finding), finding.check(), finding.text()));
            if (finding.cure() != null) {
                text.append(CURE).append(finding.cure()).append('\n');
            }
        }
        return text.append(String.format(Locale.ROOT, "problems: %d, warnings: %d, notes: %d%n", count(Level.PROBLEM),
                count(Level.WARNING), count(Level.NOTE))).toString();
    }

    String json() {
        return JsonWriter.write(new Document(isUsable(), findings.stream()
                .map(finding -> new Row(word(finding), finding.check(), finding.text(), finding.cure())).toList()));
    }

    private long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    private static String word(Finding finding) {
        return finding.level().name().toLowerCase(Locale.ROOT);
    }
}
