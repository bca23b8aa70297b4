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
package io.nettyrdma.microbench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares two reports, figure by figure: the ratio to the baseline where there is one, because that is measured in the
 * same rounds, and else the value.
 *
 * <p>A figure has changed if the ranges of its rounds do not overlap, the medians are further apart than both ranges
 * are wide together, and they differ by 5 % or more. One round is never enough, because its range is unknown.
 */
final class ReportComparison {

    private static final double LEAST_CHANGE = 1.05;
    private static final int FEWEST_ROUNDS = 2;

    /** @param times the new median divided by the old one; more is better. */
    private record Row(RawFigure figure, Spread old, Spread now, double times, boolean changed) { }

    private final RawReport old;
    private final RawReport now;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> onlyOnce = new ArrayList<>();

    ReportComparison(RawReport old, RawReport now) {
        this.old = old;
        this.now = now;
        Map<String, RawFigure> before = new LinkedHashMap<>();
        old.figures().forEach(each -> before.put(each.key(), each));
        for (RawFigure each : now.figures()) {
            RawFigure earlier = before.remove(each.key());
            if (earlier == null) {
                onlyOnce.add("only in the new report: " + each.key().replace("\t", ", "));
            } else if (!each.isBaseline()) {
                compare(earlier, each);
            }
        }
        before.values().forEach(each -> onlyOnce.add("only in the old report: " + each.key().replace("\t", ", ")));
    }

    boolean hasChanges() {
        return rows.stream().anyMatch(Row::changed);
    }

    private void compare(RawFigure earlier, RawFigure later) {
        boolean isRatio = !later.baseline().isEmpty();
        Spread a = isRatio ? old.ratio(earlier) : better(earlier);
        Spread b = isRatio ? now.ratio(later) : better(later);
        if (!a.isEmpty() && !b.isEmpty()) {
            rows.add(new Row(later, a, b, b.median() / a.median(), isChange(a, b)));
        }
    }

    /** With times, bytes and shares inverted, so that more is better. */
    private static Spread better(RawFigure figure) {
        double[] values = figure.rounds().clone();
        for (int i = 0; i < values.length && !figure.isMoreBetter(); i++) {
            values[i] = 1 / values[i];
        }
        return Spread.of(values);
    }

    private static boolean isChange(Spread a, Spread b) {
        if (a.count() < FEWEST_ROUNDS || b.count() < FEWEST_ROUNDS) {
            return false;
        }
        boolean overlap = a.min() <= b.max() && b.min() <= a.max();
        double apart = Math.max(a.median(), b.median()) / Math.min(a.median(), b.median());
        double noise = a.max() / a.min() * (b.max() / b.min());
        return !overlap && apart >= LEAST_CHANGE && apart > noise;
    }

    /** The changed figures, the largest change first; then how many did not change. */
    String text() {
        StringBuilder text = new StringBuilder();
        machine(text);
        List<Row> changed = rows.stream().filter(Row::changed).sorted(Comparator.comparing(
                row -> -Math.abs(Math.log(row.times)))).toList();
        if (!changed.isEmpty()) {
            text.append("\n| changed beyond the noise | old | new | new / old, more is better |\n|---|---|---|---|\n");
            changed.forEach(row -> line(text, row, row.times > 1 ? "better" : "worse"));
        }
        text.append("\n| within the noise | old | new | new / old, more is better |\n|---|---|---|---|\n");
        rows.stream().filter(row -> !row.changed).forEach(row -> line(text, row, row.old.count() < FEWEST_ROUNDS
                || row.now.count() < FEWEST_ROUNDS ? "one round: its noise is unknown" : ""));
        onlyOnce.forEach(each -> text.append('\n').append(each));
        text.append(String.format(Locale.ROOT, "%n%d of %d figures changed%n", changed.size(), rows.size()));
        return text.toString();
    }

    private void machine(StringBuilder text) {
        text.append("| | old | new |\n|---|---|---|\n");
        for (Map.Entry<String, String> each : now.machine().entrySet()) {
            String before = old.machine().getOrDefault(each.getKey(), "unknown");
            if (!before.equals(each.getValue())) {
                text.append(String.format("| %s | %s | %s |%n", each.getKey(), before, each.getValue()));
            }
        }
    }

    private static void line(StringBuilder text, Row row, String mark) {
        text.append(String.format(Locale.ROOT, "| %s, %s, %s%s | %s | %s | %s %s |%n", row.figure.series(),
                row.figure.variant(), row.figure.figure(),
                row.figure.baseline().isEmpty() ? "" : ", times as fast as " + row.figure.baseline(),
                value(row.figure, row.old), value(row.figure, row.now), Spread.format(row.times), mark)
                .replace("  |", " |"));
    }

    /** As it was measured. */
    private static Spread value(RawFigure figure, Spread spread) {
        return !figure.baseline().isEmpty() || figure.isMoreBetter() ? spread
                : new Spread(1 / spread.median(), 1 / spread.max(), 1 / spread.min(), spread.count());
    }
}
