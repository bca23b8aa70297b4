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
package io.nettyrdma.agent;

import io.nettyrdma.agent.program.EchoProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code bin/rdma-run}, on the tree as it is. */
class RdmaRunTest {

    private static final String SCRIPT = Path.of(System.getProperty("root.dir"), "bin/rdma-run").toString();

    @TempDir
    private Path directory;

    /** A command that starts java itself, as most programs' do, in a directory whose name has a blank. */
    @Test
    void javaBelowACommandHasTheAgent() throws Exception {
        Path command = Files.writeString(Files.createDirectory(directory.resolve("a b")).resolve("start"),
                "#!/bin/sh\nexec \"$@\"\n");
        Files.setPosixFilePermissions(command, PosixFilePermissions.fromString("rwxr-xr-x"));
        Child.Result result = new Child(directory)
                .behind(SCRIPT, "--options", "device=software,summary=on,headStartMillis=20000", command.toString())
                .run(EchoProgram.class, "NIO");
        assertThat(result.output()).endsWith("echoed: true\nended\n");
        assertThat(result.errors()).contains("Picked up JAVA_TOOL_OPTIONS", "summary: 1 connects by RDMA\n");
    }

    @Test
    void missingCommandIsReported() throws Exception {
        Child.Result result = new Child(directory).behind(SCRIPT, "no-such-command").run(EchoProgram.class);
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.errors()).isEqualTo("bin/rdma-run: no command 'no-such-command'\n");
    }
}
