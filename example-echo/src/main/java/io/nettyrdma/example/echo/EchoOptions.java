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
package io.nettyrdma.example.echo;

import java.util.Locale;

/**
 * The options of the command line. {@code bin/echo --help} describes them.
 *
 * @param role both ends in one process, or one end.
 * @param host {@code null} for an address of this machine, see {@link EchoAddress}.
 * @param count messages of each of the two measurements, over all connections.
 * @param size bytes of a message.
 */
record EchoOptions(Role role, String host, int port, int size, int count, int connections, Transport transport) {

    enum Role { BOTH, SERVER, CLIENT }

    private static final int MOST_PORT = 0xffff;

    EchoOptions {
        range("--port", port, 0, MOST_PORT);
        range("--size", size, 1, 64 << 20);
        range("--count", count, 1, 100_000_000);
        range("--connections", connections, 1, 10_000);
    }

    static EchoOptions parse(String[] words) {
        Role role = Role.BOTH;
        String host = null;
        int port = 0;
        int size = 64;
        int count = 100_000;
        int connections = 1;
        Transport transport = Transport.RDMA;
        int i = 0;
        if (words.length > 0 && !words[0].startsWith("-")) {
            role = constant(Role.class, "role", words[i++]);
        }
        for (; i < words.length; i += 2) {
            if (i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " needs a value, or is no option");
            }
            String value = words[i + 1];
            switch (words[i]) {
            case "--host" -> host = value;
            case "--port" -> port = number(words[i], value);
            case "--size" -> size = number(words[i], value);
            case "--count" -> count = number(words[i], value);
            case "--connections" -> connections = number(words[i], value);
            case "--transport" -> transport = constant(Transport.class, words[i], value);
            default -> throw new IllegalArgumentException("no option " + words[i]);
            }
        }
        if (role == Role.CLIENT && port == 0) {
            throw new IllegalArgumentException("a client needs the --port that its server printed");
        }
        return new EchoOptions(role, host, port, size, count, connections, transport);
    }

    private static int number(String option, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " is " + value + ", which is no number");
        }
    }

    private static <E extends Enum<E>> E constant(Class<E> type, String option, String value) {
        try {
            return Enum.valueOf(type, value.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(option + " cannot be " + value);
        }
    }

    private static void range(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", not within " + least + " to " + most);
        }
    }
}
