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
package io.nettyrdma.microbench.operations;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What to measure, and how long. {@code microbench/operations --help} describes the options.
 *
 * @param sizes bytes of the operations.
 * @param millis time of each figure of a round.
 */
record Options(List<Part> parts, List<Integer> sizes, int millis) {

    /** Rounds of each part, each of which measures all of its figures once. One more comes first and is not counted. */
    static final int ROUNDS = 5;

    /** Takes about a minute. */
    private static final Options DEFAULT = new Options(List.of(Part.values()),
            List.of(8, 64, 4 << 10, 64 << 10, 1 << 20), 80);

    /** The memory of both ends has six times as much, which the script allows the JVM. */
    private static final int LARGEST = 64 << 20;

    Options {
        if (millis <= 0 || sizes.stream().anyMatch(size -> size <= 0)) {
            throw new IllegalArgumentException("numbers must be positive");
        }
        if (sizes.stream().anyMatch(size -> size > LARGEST)) {
            throw new IllegalArgumentException("sizes are at most " + LARGEST);
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

    long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    int largest() {
        return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    }

    private Options with(String name, String value) {
        return switch (name) {
        case "--parts" -> new Options(list(value, Part::of), sizes, millis);
        case "--sizes" -> new Options(parts, list(value, size -> number(name, size)), millis);
        case "--millis" -> new Options(parts, sizes, number(name, value));
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
