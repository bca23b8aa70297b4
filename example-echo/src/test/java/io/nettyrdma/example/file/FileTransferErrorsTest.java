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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** An error that a user can cure is one line, which says how. None of these comes as far as a device. */
class FileTransferErrorsTest {

    @ParameterizedTest
    @CsvSource({
            "--colour red,                  no option --colour",
            "--size many,                   '--size is many, which is no number'",
            "--size 1073741825,             '--size is 1073741825, not within 0 to 1073741824'",
            "--size,                        --size needs a value",
            "--client somewhere,            --client needs HOST PORT",
            "--client somewhere 0,          'the port is 0, not within 1 to 65535'",
            "--server 65536,                'the port is 65536, not within 0 to 65535'",
            "--server --client somewhere 1, 'only once'",
            "--server --file f,             a server sends no --file",
            "--client somewhere 1 --out f,  a client stores nothing",
            "--file f --size 1,             there is a --file" })
    void wrongUsageIsReported(String words, String what) throws Exception {
        assertOneLine(2, what, "see bin/file-transfer --help", words.split(" "));
    }

    @Test
    void missingFileIsReported() throws Exception {
        assertOneLine(1, "--file /no/such/file cannot be read", "give one that can", "--file", "/no/such/file");
    }

    /** Before the file is sent, and not when it is all there. */
    @Test
    void unwritableOutputIsReportedFirst(@TempDir Path directory) throws Exception {
        for (Path out : List.of(directory, directory.resolve("no/such/file"))) {
            assertOneLine(1, "--out " + out + " cannot be written", "give a file in a directory that exists", "--out",
                    out.toString());
        }
    }

    @Test
    void directoryInsteadOfFileIsReported(@TempDir Path directory) throws Exception {
        assertOneLine(1, "--file " + directory + " cannot be read", "give one that can", "--file",
                directory.toString());
    }

    private static void assertOneLine(int status, String what, String cure, String... words) throws Exception {
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        try (PrintStream stream = new PrintStream(errors, true, StandardCharsets.UTF_8)) {
            assertThat(FileTransfer.run(words, stream)).isEqualTo(status);
        }
        String text = errors.toString(StandardCharsets.UTF_8);
        assertThat(text).startsWith("bin/file-transfer: ").contains(what).contains(cure);
        assertThat(text.lines()).hasSize(1);
    }
}
