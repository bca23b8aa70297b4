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

import io.nettyrdma.example.EndOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The options of the command line. */
@Command(name = "bin/file-transfer", description = "Sends a file by RDMA writes to memory of the server.")
final class FileTransferOptions extends EndOptions {

    /** With all other memory of a small process it stays below the usual limit of locked memory. */
    private static final long DEFAULT_SIZE = 4 << 20;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "where a server listens")
    private String host;

    @Option(names = "--file", paramLabel = "FILE", description = "the file to send")
    private Path file;

    @Option(names = "--size", paramLabel = "BYTES", description = "of a generated file")
    private Long size;

    @Option(names = "--out", paramLabel = "FILE", description = "where the server stores what it gets")
    private Path out;

    @Override
    protected void check() {
        super.check();
        range("--size", size(), 0, FileServer.MOST_BYTES);
        if (file != null && size != null) {
            throw new IllegalArgumentException("--size is that of a generated file, and there is a --file");
        }
        if (role() == Role.SERVER && file != null) {
            throw new IllegalArgumentException("a server sends no --file");
        }
        if (role() == Role.CLIENT && out != null) {
            throw new IllegalArgumentException("a client stores nothing in --out");
        }
        if (role() == Role.CLIENT && host != null) {
            throw new IllegalArgumentException("a client has its host behind --client, and no --host");
        }
    }

    /** {@code null} for an address of this machine that leads to a device. */
    @Override
    public String host() {
        return role() == Role.CLIENT ? super.host() : host;
    }

    /** The file to send, {@code null} to generate one. */
    Path file() {
        return file;
    }

    /** Bytes of a generated file. */
    long size() {
        return size == null ? DEFAULT_SIZE : size;
    }

    /** Where the server stores what it gets, {@code null} for nowhere. */
    Path out() {
        return out;
    }
}
