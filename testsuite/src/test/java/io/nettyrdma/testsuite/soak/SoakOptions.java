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
package io.nettyrdma.testsuite.soak;

import io.nettyrdma.io.PollMode;
import io.nettyrdma.program.Options;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The options of the command line. */
@Command(name = "bin/soak", description = "Talks over RDMA for long, and checks every byte.")
final class SoakOptions extends Options {

    /** Of so many connections some use TCP. */
    static final int TCP_OF = 16;

    private static final Duration DEFAULT_DURATION = Duration.ofMinutes(10);
    private static final Duration LONGEST_DURATION = Duration.ofDays(365);
    /** Milliseconds. A stall is reported after a minute. */
    private static final int LONGEST_STOP = 10_000;
    private static final int MILLIS_OF_MINUTE = 60_000;
    private static final int MINUTES_OF_HOUR = 60;

    @Option(names = "--hours", paramLabel = "N", description = "how long")
    private Double hours;

    @Option(names = "--minutes", paramLabel = "N", description = "how long, 10; without end if there is --messages")
    private Double minutes;

    @Option(names = "--messages", paramLabel = "N", description = "how many are enough")
    private Long messages;

    @Option(names = "--connections", paramLabel = "N", defaultValue = "50", description = "at a time")
    private int connections;

    @Option(names = "--seed", paramLabel = "S", description = "of random choices")
    private Long seed;

    @Option(names = "--device", paramLabel = "NAME", description = "as the system property io.nettyrdma.device")
    private String device;

    @Option(names = "--processes", paramLabel = "N", defaultValue = "1", description = "2: the server has its own")
    private int processes;

    @Option(names = "--max-size", paramLabel = "BYTES", defaultValue = "4194304",
            description = "of the longest message")
    private int maxSize;

    @Option(names = "--longest", paramLabel = "MESSAGES", defaultValue = "2000",
            description = "that each end of a connection sends at most")
    private int longest;

    @Option(names = "--modes", split = ",", paramLabel = "NAME", description = "of the event loops")
    private List<PollMode> modes;

    @Option(names = "--stops", paramLabel = "MILLIS", defaultValue = "0",
            description = "stops the server's process again and again, for up to so long")
    private int stops;

    @Option(names = "--tcp", paramLabel = "N", defaultValue = "0", description = "of 16 connections use TCP")
    private int tcp;

    private boolean isEndless;

    @Override
    protected void check() {
        if (hours != null && minutes != null) {
            throw new IllegalArgumentException("--hours or --minutes, not both");
        }
        if (hours != null) {
            checkDuration("--hours", hours * MINUTES_OF_HOUR);
        }
        if (minutes != null) {
            checkDuration("--minutes", minutes);
        }
        range("--messages", messages(), 1, Long.MAX_VALUE);
        range("--connections", connections, 1, 10_000);
        range("--processes", processes, 1, 2);
        range("--max-size", maxSize, 1, 64 << 20);
        range("--longest", longest, 1, Integer.MAX_VALUE);
        range("--stops", stops, 0, LONGEST_STOP);
        range("--tcp", tcp, 0, TCP_OF);
        if (stops > 0 && processes == 1) {
            throw new IllegalArgumentException("--stops needs --processes 2");
        }
        if (seed == null) {
            seed = System.nanoTime();
        }
    }

    private static void checkDuration(String option, double value) {
        Duration duration = ofMinutes(value);
        if (duration.isZero() || duration.isNegative() || duration.compareTo(LONGEST_DURATION) > 0) {
            throw new IllegalArgumentException(option + " is not a while within a year");
        }
    }

    private static Duration ofMinutes(double value) {
        return Duration.ofMillis((long) (value * MILLIS_OF_MINUTE));
    }

    /** These options for a run that another process stops. */
    SoakOptions withoutEnd() {
        isEndless = true;
        return this;
    }

    Duration duration() {
        if (isEndless) {
            return LONGEST_DURATION;
        }
        if (hours == null && minutes == null) {
            return messages == null ? DEFAULT_DURATION : LONGEST_DURATION;
        }
        return ofMinutes(hours == null ? minutes : hours * MINUTES_OF_HOUR);
    }

    long messages() {
        return messages == null || isEndless ? Long.MAX_VALUE : messages;
    }

    int connections() {
        return connections;
    }

    long seed() {
        return seed;
    }

    String device() {
        return device;
    }

    int processes() {
        return processes;
    }

    int maxSize() {
        return maxSize;
    }

    int longest() {
        return longest;
    }

    Set<PollMode> modes() {
        return modes == null ? EnumSet.allOf(PollMode.class) : EnumSet.copyOf(modes);
    }

    int stops() {
        return stops;
    }

    int tcp() {
        return tcp;
    }

    /** All that is needed to repeat the run. */
    @Override
    public String toString() {
        return "duration=" + duration() + ", messages=" + messages() + ", connections=" + connections + ", seed=" + seed
                + ", device=" + device + ", processes=" + processes + ", maxSize=" + maxSize + ", longest=" + longest
                + ", modes=" + modes() + ", stops=" + stops + ", tcp=" + tcp;
    }
}
