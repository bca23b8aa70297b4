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
import java.util.stream.Collectors;

/**
 * What to measure, and how long; {@code microbench/echo --help} describes it.
 *
 * @param rounds in each of which everything is measured once; one more comes first and is not counted.
 * @param millis of each figure of a round.
 * @param sizes bytes of messages.
 * @param baseline what the others are compared with.
 * @param highWater bytes that a client's channel has to send when it stops being writable, again at half of them;
 *        {@code null}: as the channel has it.
 */
record Options(int rounds, int millis, List<Integer> sizes, List<Transport> transports, Transport baseline,
               Integer highWater) {

    /** Three and a half minutes, most of which is measuring. */
    private static final Options DEFAULT =
            new Options(5, 700, List.of(64, 4 << 10, 64 << 10), Transport.USUAL, Transport.EPOLL, null);

    Options {
        if (rounds <= 0 || millis <= 0 || sizes.stream().anyMatch(size -> size <= 0)
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
        return options;
    }

    private Options with(String name, String value) {
        return switch (name) {
        case "--rounds" -> new Options(number(name, value), millis, sizes, transports, baseline, highWater);
        case "--millis" -> new Options(rounds, number(name, value), sizes, transports, baseline, highWater);
        case "--sizes" -> new Options(rounds, millis,
                Arrays.stream(value.split(",")).map(size -> number(name, size)).collect(Collectors.toList()),
                transports, baseline, highWater);
        case "--transports" -> new Options(rounds, millis, sizes,
                Arrays.stream(value.split(",")).map(Transport::of).collect(Collectors.toList()), baseline,
                highWater);
        case "--baseline" -> new Options(rounds, millis, sizes, transports, Transport.of(value), highWater);
        case "--high-water" -> new Options(rounds, millis, sizes, transports, baseline, number(name, value));
        default -> throw new IllegalArgumentException("no option " + name);
        };
    }

    private static int number(String option, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " is " + value + ", which is no number");
        }
    }
}
