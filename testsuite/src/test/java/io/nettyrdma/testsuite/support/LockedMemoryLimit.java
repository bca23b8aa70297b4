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
package io.nettyrdma.testsuite.support;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Limits the memory that a child process may register: RLIMIT_MEMLOCK. */
public final class LockedMemoryLimit {

    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");

    private LockedMemoryLimit() {
    }

    /** The command prefix that sets the limit. For root it also drops the capability that lifts the limit. */
    public static List<String> ofKib(int limit) {
        List<String> command = new ArrayList<>();
        if ("root".equals(System.getProperty("user.name"))) {
            assumeTrue(Files.isExecutable(SETPRIV), "root is not bound by the limit, and there is no " + SETPRIV);
            command.addAll(List.of(SETPRIV.toString(), "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock"));
        }
        command.addAll(List.of("bash", "-c", "ulimit -l " + limit + "; exec \"$@\"", "bash"));
        return command;
    }
}
