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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * This process's TCP sockets that listen or are connected. A program on RDMA opens none of them, whatever its framework
 * has on the class path. One on NIO does, which shows that this class detects them. With the agent servers listen by
 * both, and no connection uses TCP.
 */
final class TcpSockets {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String CONNECTED = "01";
    private static final Set<String> STATES = Set.of(CONNECTED, "0A");
    /** Columns of the kernel's socket table. */
    private static final int STATE = 3;
    private static final int INODE = 9;

    /** Those that the JVM which runs the tests has open. */
    private final Set<String> before = open().keySet();

    /** Call while the program's connections are open. */
    void check(Carrier carrier) {
        Map<String, String> opened = open();
        opened.keySet().removeAll(before);
        if (carrier == Carrier.RDMA) {
            assertThat(opened).as("TCP sockets of a program on RDMA").isEmpty();
            return;
        }
        assertThat(opened).as("TCP sockets of a program that listens by TCP").isNotEmpty();
        if (carrier == Carrier.AGENT) {
            assertThat(opened.values()).as("TCP sockets of a program with the agent")
                    .noneMatch(socket -> socket.split(" ")[STATE].equals(CONNECTED));
        }
    }

    /** By inode, as the kernel shows them. */
    private static Map<String, String> open() {
        Set<String> ours = descriptors();
        Map<String, String> open = new HashMap<>();
        for (String table : new String[] {"tcp", "tcp6"}) {
            try (Stream<String> lines = Files.lines(Path.of("/proc/self/net", table))) {
                lines.map(line -> line.trim().split("\\s+"))
                        .filter(socket -> STATES.contains(socket[STATE]) && ours.contains(socket[INODE]))
                        .forEach(socket -> open.put(socket[INODE], String.join(" ", socket)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return open;
    }

    /** Inodes of this process's sockets. */
    private static Set<String> descriptors() {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
            descriptors.forEach(descriptor -> {
                try {
                    String target = Files.readSymbolicLink(descriptor).toString();
                    if (target.startsWith("socket:[")) {
                        inodes.add(target.substring("socket:[".length(), target.length() - 1));
                    }
                } catch (IOException closedMeanwhile) {
                    // The descriptor has been closed meanwhile.
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return inodes;
    }
}
