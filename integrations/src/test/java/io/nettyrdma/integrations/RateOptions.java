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
package io.nettyrdma.integrations;

import java.util.Arrays;
import java.util.List;

/**
 * What {@link RequestRates} measures, and how long. {@code microbench/frameworks --help} describes the options.
 *
 * @param rounds number of rounds, each of which measures everything once. A first round is not counted.
 * @param millis time of each measurement in a round.
 * @param loops number of loops of the clients, each of which has a connection, and of the server.
 */
record RateOptions(int rounds, int millis, int loops, List<RateFramework> frameworks, List<RateCarrier> carriers) {

    private static final RateOptions DEFAULT = new RateOptions(5, 500, 4, List.of(RateFramework.values()),
            List.of(RateCarrier.values()));

    RateOptions {
        if (rounds <= 0 || millis <= 0 || loops <= 0) {
            throw new IllegalArgumentException("numbers must be positive");
        }
    }

    static RateOptions parse(String[] words) {
        RateOptions options = DEFAULT;
        for (int i = 0; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " needs a value");
            }
            options = options.with(words[i], words[i + 1]);
        }
        return options;
    }

    private RateOptions with(String name, String value) {
        return switch (name) {
        case "--rounds" -> new RateOptions(number(name, value), millis, loops, frameworks, carriers);
        case "--millis" -> new RateOptions(rounds, number(name, value), loops, frameworks, carriers);
        case "--loops" -> new RateOptions(rounds, millis, number(name, value), frameworks, carriers);
        case "--frameworks" -> new RateOptions(rounds, millis, loops,
                Arrays.stream(value.split(",")).map(RateFramework::of).toList(), carriers);
        case "--transports" -> new RateOptions(rounds, millis, loops, frameworks,
                Arrays.stream(value.split(",")).map(RateCarrier::of).toList());
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
