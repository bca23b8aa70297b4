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
package io.nettyrdma.top;

import io.nettyrdma.metrics.RdmaCounter;
import io.nettyrdma.metrics.RdmaGauge;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** The text of a screen, and the options. */
class ScreenTest {

    private static final String THREAD = "multiThreadIoEventLoopGroup-2-1";

    private static Sample sample(long seconds, Map<String, Long> values) {
        return new Sample(seconds * 1_000_000_000L, List.of(new Sample.Loop("1/0", 0, THREAD, values)),
                Map.of("mlx5_0", 3L << 20), 4L << 20);
    }

    @Test
    void ratesAreThoseBetweenTheSamples() {
        Sample before = sample(10, Map.of(RdmaCounter.BYTES_STAGED.name(), 5_000_000L));
        Sample now = sample(12, Map.of(RdmaCounter.BYTES_STAGED.name(), 8_000_000L,
                RdmaCounter.BYTES_GATHERED.name(), 9_000_000L, RdmaCounter.MESSAGES_STAGED.name(), 20_000L,
                RdmaCounter.BYTES_RECEIVED.name(), 1_000_000L, RdmaCounter.NANOS_WORKING.name(), 500_000_000L,
                RdmaGauge.CONNECTIONS_OPEN.name(), 1_234L, RdmaGauge.CREDIT_STALLED.name(), 7L));
        String screen = Screen.of("12 program.Main", before, now);
        assertThat(screen).startsWith("process      12 program.Main\nconnections  1,234 open, 0 opening")
                .contains("out          6.0 MB/s, 10,000 messages/s; copied 25 %, gathered 75 %, inline 0 %\n")
                .contains("in           0.5 MB/s").contains("stalls       now 7 for credits, 0 for the queue")
                .contains("memory       4.0 MiB from the system, 3.0 MiB registered with mlx5_0\n");
        assertThat(screen.lines().reduce("", (first, last) -> last).split(" +")).containsExactly("", "0", THREAD,
                "1,234", "7", "6.0", "0.5", "10,000", "0", "25", "0", "0");
    }

    @Test
    void operationsOnRemoteMemoryHaveTheirOwnLine() {
        Sample now = sample(12, Map.of(RdmaCounter.REMOTE_BYTES_WRITTEN.name(), 8_000_000L,
                RdmaCounter.REMOTE_BYTES_READ.name(), 1_000_000L, RdmaCounter.REMOTE_WRITES.name(), 2_000L,
                RdmaCounter.REMOTE_READS.name(), 100L, RdmaCounter.REMOTE_ATOMICS.name(), 10L));
        assertThat(Screen.of("12 program.Main", sample(10, Map.of()), now))
                .contains("remote       written 4.0 MB/s, read 0.5 MB/s, 1,055 operations/s\n");
    }

    @Test
    void loopThatHasTheNumberOfAnotherCountsFromZero() {
        Sample before = sample(1, Map.of(RdmaCounter.MESSAGES_INLINE.name(), 1_000L));
        Sample now = sample(2, Map.of(RdmaCounter.MESSAGES_INLINE.name(), 10L));
        assertThat(Screen.of("1", before, now)).contains(", 10 messages/s; copied 0 %");
    }

    @Test
    void wrongUsageIsReportedInOneLine() throws Exception {
        assertThat(errors("--twice")).isEqualTo("rdma-top: no option --twice: see rdma-top --help\n");
        assertThat(errors("--interval", "0")).startsWith("rdma-top: --interval is 0, not within 1 to 3600");
        assertThat(errors("program")).isEqualTo("rdma-top: PID is program, which is no number: see rdma-top --help\n");
    }

    private static String errors(String... words) throws Exception {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        PrintStream err = new PrintStream(errors, true, StandardCharsets.UTF_8);
        assertThat(RdmaTop.run(words, err, err, false)).isEqualTo(2);
        return errors.toString(StandardCharsets.UTF_8);
    }
}
