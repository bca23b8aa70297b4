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

import java.util.Locale;

/** Prints a line for each tenth of the file that the server's device has acknowledged. One thread after the other. */
final class FileProgress {

    private static final int LINES = 10;
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    private long length;
    private long acknowledged;
    private int writes;
    private long start;
    private long end;

    /** The first write comes next. */
    void begin(long bytes) {
        length = bytes;
        start = System.nanoTime();
        end = start;
    }

    void acknowledged(long bytes) {
        long before = acknowledged * LINES / length;
        acknowledged += bytes;
        writes++;
        end = System.nanoTime();
        if (acknowledged * LINES / length > before) {
            System.out.printf(Locale.ROOT, "  written: %3d %%, %,d of %,d bytes%n", acknowledged * 100 / length,
                    acknowledged, length);
        }
    }

    /** Bytes that are acknowledged. */
    long bytes() {
        return acknowledged;
    }

    /** RDMA writes that are acknowledged. */
    int writes() {
        return writes;
    }

    /** From the first write to the last acknowledgement, reading the file included. */
    double megabytesPerSecond() {
        return acknowledged / MEGA / (Math.max(1, end - start) / NANOS);
    }
}
