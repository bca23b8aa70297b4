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
package io.nettyrdma.example.file;

import java.nio.file.Path;

/**
 * The options of the command line. {@code bin/file-transfer --help} describes them.
 *
 * @param role both ends in one process, or one end.
 * @param host {@code null} for an address of this machine that leads to a device.
 * @param file the file to send, {@code null} to generate one.
 * @param size bytes of a generated file.
 * @param out where the server stores what it gets, {@code null} for nowhere.
 */
record FileTransferOptions(Role role, String host, int port, Path file, long size, Path out) {

    enum Role { BOTH, SERVER, CLIENT }

    private static final int MOST_PORT = 0xffff;
    /** With all other memory of a small process it stays below the usual limit of locked memory. */
    private static final long DEFAULT_SIZE = 4 << 20;

    FileTransferOptions {
        range("the port", port, role == Role.CLIENT ? 1 : 0, MOST_PORT);
        range("--size", size, 0, FileServer.MOST_BYTES);
        if (role == Role.SERVER && file != null) {
            throw new IllegalArgumentException("a server sends no --file");
        }
        if (role == Role.CLIENT && out != null) {
            throw new IllegalArgumentException("a client stores nothing in --out");
        }
    }

    static FileTransferOptions parse(String[] words) {
        return new Parser(words).parse();
    }

    private static void range(String option, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(option + " is " + value + ", not within " + least + " to " + most);
        }
    }

    private static final class Parser {

        private final String[] words;
        private int next;
        private Role role = Role.BOTH;
        private String host;
        private int port;
        private Path file;
        private long size = -1;
        private Path out;

        Parser(String[] words) {
            this.words = words;
        }

        FileTransferOptions parse() {
            while (next < words.length) {
                option(words[next++]);
            }
            if (file != null && size >= 0) {
                throw new IllegalArgumentException("--size is that of a generated file, and there is a --file");
            }
            return new FileTransferOptions(role, host, port, file, size < 0 ? DEFAULT_SIZE : size, out);
        }

        private void option(String name) {
            switch (name) {
            case "--server" -> {
                role(Role.SERVER);
                if (next < words.length && !words[next].startsWith("-")) {
                    port = (int) number("the port", MOST_PORT, value(name));
                }
            }
            case "--client" -> {
                role(Role.CLIENT);
                host = value("--client, before the port,");
                port = (int) number("the port", MOST_PORT, value("--client, after the host,"));
            }
            case "--host" -> host = value(name);
            case "--file" -> file = Path.of(value(name));
            case "--size" -> size = number(name, FileServer.MOST_BYTES, value(name));
            case "--out" -> out = Path.of(value(name));
            default -> throw new IllegalArgumentException("no option " + name);
            }
        }

        private void role(Role wanted) {
            if (role != Role.BOTH) {
                throw new IllegalArgumentException("--server or --client, and only once");
            }
            role = wanted;
        }

        private String value(String name) {
            if (next == words.length) {
                throw new IllegalArgumentException(name + " needs a value");
            }
            return words[next++];
        }

        private static long number(String option, long most, String value) {
            long number;
            try {
                number = Long.parseLong(value);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(option + " is " + value + ", which is no number");
            }
            range(option, number, 0, most);
            return number;
        }
    }
}
