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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which differences of two reports count as a change. */
class ReportComparisonTest {

    private static final String SERIES = "round trip, 64 B";

    @TempDir
    private Path old;
    @TempDir
    private Path now;

    @Test
    void ratioFarOutsideOfBothRangesIsAChange() throws Exception {
        ReportComparison comparison = compared(new double[] { 2.0, 2.1, 2.05 }, new double[] { 4.0, 4.1, 4.05 });
        assertThat(comparison.hasChanges()).isTrue();
        assertThat(comparison.text()).contains("| round trip, 64 B, rdma-adaptive, p50 us, times as fast as epoll | "
                + "4.88 (4.76 to 5.00) | 2.47 (2.44 to 2.50) | 0.51 worse |", "1 of 1 figures changed");
    }

    @Test
    void rangesThatOverlapAreNoise() throws Exception {
        assertThat(compared(new double[] { 2, 3, 4 }, new double[] { 3.5, 5, 6 }).hasChanges()).isFalse();
    }

    @Test
    void mediansCloserThanTheRangesAreWideAreNoise() throws Exception {
        ReportComparison comparison = compared(new double[] { 2, 2.2, 2.4 }, new double[] { 2.5, 2.7, 2.9 });
        assertThat(comparison.hasChanges()).isFalse();
        assertThat(comparison.text()).contains("0 of 1 figures changed");
    }

    @Test
    void smallDifferenceIsNoChange() throws Exception {
        assertThat(compared(new double[] { 2, 2, 2 }, new double[] { 2.05, 2.05, 2.05 }).hasChanges()).isFalse();
    }

    @Test
    void singleRoundIsNeverAChange() throws Exception {
        ReportComparison comparison = compared(new double[] { 2 }, new double[] { 20 });
        assertThat(comparison.hasChanges()).isFalse();
        assertThat(comparison.text()).contains("one round: its noise is unknown");
    }

    @Test
    void slowerMachineIsNoChangeOfRatios() throws Exception {
        RawReport fast = report(old, new double[] { 2, 2, 2 }, new double[] { 10, 10, 10 });
        RawReport slow = report(now, new double[] { 20, 20, 20 }, new double[] { 100, 100, 100 });
        assertThat(new ReportComparison(fast, slow).hasChanges()).isFalse();
    }

    @Test
    void valueWithoutBaselineIsCompared() throws Exception {
        RawReport before = new GivenReport(old).section("memory", null)
                .figure("1,000 connections", "both ends", "MiB registered", "", 10, 10.1, 10.1).read();
        RawReport after = new GivenReport(now).section("memory", null)
                .figure("1,000 connections", "both ends", "MiB registered", "", 5, 5.1, 5.1).read();
        assertThat(new ReportComparison(before, after).text()).contains("| 1,000 connections, both ends, MiB registered"
                + " | 10.1 (10.0 to 10.1) | 5.10 (5.00 to 5.10) | 1.98 better");
    }

    @Test
    void figureOfOneReportIsNamed() throws Exception {
        RawReport before = report(old, new double[] { 2 }, new double[] { 10 });
        RawReport after = new GivenReport(now).section("round-trips", null)
                .figure(SERIES, "rdma-event", "p50 us", "epoll", 3).read();
        assertThat(new ReportComparison(before, after).text()).contains(
                "only in the old report: round-trips, round trip, 64 B, rdma-adaptive, p50 us",
                "only in the new report: round-trips, round trip, 64 B, rdma-event, p50 us");
    }

    @Test
    void directoryWithoutResultsIsRefused() {
        assertThatThrownBy(() -> RawReport.read(old)).isInstanceOf(IOException.class)
                .hasMessageContaining("is no report");
    }

    private ReportComparison compared(double[] before, double[] after) throws Exception {
        return new ReportComparison(report(old, before, new double[] { 10, 10, 10 }),
                report(now, after, new double[] { 10, 10, 10 }));
    }

    private static RawReport report(Path directory, double[] rdma, double[] epoll) throws IOException {
        return new GivenReport(directory).section("round-trips", null)
                .figure(SERIES, "rdma-adaptive", "p50 us", "epoll", rdma)
                .figure(SERIES, "epoll", "p50 us", "epoll", epoll).read();
    }
}
