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
package io.nettyrdma.microbench.echo;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What to measure, and how long. {@code microbench/echo --help} describes the options.
 *
 * @param kinds the kinds of measurements.
 * @param rounds number of rounds, each of which measures everything once. A first round is not counted.
 * @param millis time of each measurement in a round.
 * @param sizes bytes of messages.
 * @param loops number of loops in each process; each has a connection.
 * @param connections number of connections at once, for {@link Kind#CONNECT_MANY}, or of idle ones.
 * @param baseline the transport that the others are compared with.
 * @param highWater pending bytes at which a client's channel stops being writable, until half of them are left;
 *        {@code null} for the channel's default.
 */
record Options(List<Kind> kinds, int rounds, int millis, List<Integer> sizes, int loops, int connections,
               List<Transport> transports, Transport baseline, Integer highWater) {

    /** Takes three and a half minutes, most of them for measurements. */
    private static final Options DEFAULT = new Options(List.of(Kind.ROUND_TRIP, Kind.ONE_WAY), 5, 700,
            List.of(64, 4 << 10, 64 << 10), 1, 2_000, Transport.USUAL, Transport.EPOLL, null);

    Options {
        if (rounds <= 0 || millis <= 0 || loops <= 0 || connections <= 0 || sizes.stream().anyMatch(size -> size <= 0)
                || highWater != null && highWater <= 0) {
            throw new IllegalArgumentException("numbers must be positive");
        }
    }

    static Options parse(String[] words) {
        Options options = DEFAULT;
        for (int i = 0; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " needs a value");
            }
            options = options.with(words[i], words[i + 1]);
        }
        if (options.transports.contains(Transport.FLOOR)
                && options.kinds.stream().anyMatch(kind -> kind != Kind.ONE_WAY)) {
            throw new IllegalArgumentException("transport floor has no server, so it measures one-way alone");
        }
        return options;
    }

    /** The sizes that a kind is measured with. */
    List<Integer> sizes(Kind kind) {
        return kind.hasMessages() ? sizes : List.of(kind == Kind.CONNECT_MANY ? connections : 1);
    }

    private Options with(String name, String value) {
        return switch (name) {
        case "--kinds" -> new Options(list(value, Kind::of), rounds, millis, sizes, loops, connections, transports,
                baseline, highWater);
        case "--rounds" -> new Options(kinds, number(name, value), millis, sizes, loops, connections, transports,
                baseline, highWater);
        case "--millis" -> new Options(kinds, rounds, number(name, value), sizes, loops, connections, transports,
                baseline, highWater);
        case "--sizes" -> new Options(kinds, rounds, millis, list(value, size -> number(name, size)), loops,
                connections, transports, baseline, highWater);
        case "--loops" -> new Options(kinds, rounds, millis, sizes, number(name, value), connections, transports,
                baseline, highWater);
        case "--connections" -> new Options(kinds, rounds, millis, sizes, loops, number(name, value), transports,
                baseline, highWater);
        case "--transports" -> new Options(kinds, rounds, millis, sizes, loops, connections,
                list(value, Transport::of), baseline, highWater);
        case "--baseline" -> new Options(kinds, rounds, millis, sizes, loops, connections, transports,
                Transport.of(value), highWater);
        case "--high-water" -> new Options(kinds, rounds, millis, sizes, loops, connections, transports, baseline,
                number(name, value));
        default -> throw new IllegalArgumentException("no option " + name);
        };
    }

    private static <T> List<T> list(String value, Function<String, T> element) {
        return Arrays.stream(value.split(",")).map(element).collect(Collectors.toList());
    }

    private static int number(String option, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " is " + value + ", which is no number");
        }
    }
}
