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
package io.nettyrdma.agent.swap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Says each thing once, on standard error: a logging framework may not be configured yet, and would be by the first
 * line. Any thread.
 */
final class Report implements Consumer<String> {

    static final String NAME = "netty-transport-rdma-agent";

    private final boolean isOn;
    /** Of the summary; {@code null} for standard error. */
    private final Path file;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    Report(boolean isOn, Path file) {
        this.isOn = isOn;
        this.file = file;
    }

    @Override
    public void accept(String line) {
        if (isOn && said.add(line)) {
            always(line);
        }
    }

    /** In a file of many JVMs, the number of the process is in front. */
    void summary(String line) {
        if (file == null) {
            always("summary: " + line);
            return;
        }
        try {
            Files.writeString(file, ProcessHandle.current().pid() + ": " + line + '\n', StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            always("summary: " + line + " (cannot be written: " + e + ')');
        }
    }

    void always(String line) {
        System.err.println(NAME + ": " + line);
    }
}
