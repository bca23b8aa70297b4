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

import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The options of a run; {@code bin/soak --help} describes them.
 *
 * @param messages the run ends after this many messages, received by either side.
 * @param maxSize the size of the longest message in bytes.
 * @param longest the most messages that each end of a connection sends.
 * @param modes poll modes; clients and server have one loop of each.
 * @param stops the server's process is stopped again and again, for at most this number of milliseconds; 0 for never.
 * @param tcp of {@link #TCP_OF} connections without remote operations, so many use TCP; if there are any, the servers
 *        take both transports.
 */
record SoakOptions(Duration duration, long messages, int connections, long seed, String device, int processes,
                   int maxSize, int longest, Set<PollMode> modes, int stops, int tcp) {

    static final int TCP_OF = 16;

    private static final Duration DEFAULT_DURATION = Duration.ofMinutes(10);
    private static final Duration LONGEST_DURATION = Duration.ofDays(365);
    /** Milliseconds. A stall is reported after a minute. */
    private static final int LONGEST_STOP = 10_000;
    private static final int SECONDS_OF_MINUTE = 60;
    private static final int SECONDS_OF_HOUR = 3600;

    SoakOptions {
        range("--messages", messages, 1, Long.MAX_VALUE);
        range("--connections", connections, 1, 10_000);
        range("--processes", processes, 1, 2);
        range("--max-size", maxSize, 1, 64 << 20);
        range("--longest", longest, 1, Integer.MAX_VALUE);
        range("--stops", stops, 0, LONGEST_STOP);
        range("--tcp", tcp, 0, TCP_OF);
        if (stops > 0 && processes == 1) {
            throw new IllegalArgumentException("--stops needs --processes 2");
        }
    }

    static SoakOptions parse(String[] words) {
        Duration duration = null;
        long messages = Long.MAX_VALUE;
        int connections = 50;
        long seed = System.nanoTime();
        String device = null;
        int processes = 1;
        int maxSize = 4 << 20;
        int longest = 2000;
        int stops = 0;
        int tcp = 0;
        Set<PollMode> modes = EnumSet.allOf(PollMode.class);
        for (int i = 0; i < words.length; i += 2) {
            String option = words[i];
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(option + " is unknown, or needs a value");
            }
            String value = words[i + 1];
            switch (option) {
            case "--hours" -> duration = duration(option, value, SECONDS_OF_HOUR);
            case "--minutes" -> duration = duration(option, value, SECONDS_OF_MINUTE);
            case "--messages" -> messages = number(option, value);
            case "--connections" -> connections = (int) number(option, value);
            case "--seed" -> seed = number(option, value);
            case "--device" -> device = value;
            case "--processes" -> processes = (int) number(option, value);
            case "--max-size" -> maxSize = (int) number(option, value);
            case "--longest" -> longest = (int) number(option, value);
            case "--modes" -> modes = modes(value);
            case "--stops" -> stops = (int) number(option, value);
            case "--tcp" -> tcp = (int) number(option, value);
            default -> throw new IllegalArgumentException("no option " + option);
            }
        }
        if (duration == null) {
            duration = messages == Long.MAX_VALUE ? DEFAULT_DURATION : LONGEST_DURATION;
        }
        return new SoakOptions(duration, messages, connections, seed, device, processes, maxSize, longest, modes,
                stops, tcp);
    }

    /** The same options for a run that another process stops. */
    SoakOptions withoutEnd() {
        return new SoakOptions(LONGEST_DURATION, Long.MAX_VALUE, connections, seed, device, processes, maxSize, longest,
                modes, stops, tcp);
    }

    private static Duration duration(String option, String value, int unitSeconds) {
        try {
            Duration duration = Duration.ofMillis((long) (Double.parseDouble(value) * unitSeconds * 1000));
            if (duration.isZero() || duration.isNegative() || duration.compareTo(LONGEST_DURATION) > 0) {
                throw new IllegalArgumentException(option + " is " + value + ", not a while within a year");
            }
            return duration;
        } catch (NumberFormatException e) {
            throw noNumber(option, value);
        }
    }

    private static long number(String option, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw noNumber(option, value);
        }
    }

    private static IllegalArgumentException noNumber(String option, String value) {
        return new IllegalArgumentException(option + " is " + value + ", which is no number");
    }

    private static Set<PollMode> modes(String value) {
        Set<PollMode> modes = EnumSet.noneOf(PollMode.class);
        for (String name : value.split(",")) {
            try {
                modes.add(PollMode.valueOf(name.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("--modes cannot be " + name);
            }
        }
        return modes;
    }

    private static void range(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", not within " + least + " to " + most);
        }
    }
}
