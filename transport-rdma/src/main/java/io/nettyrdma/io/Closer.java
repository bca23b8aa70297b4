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
package io.nettyrdma.io;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;

import java.util.ArrayDeque;
import java.util.Deque;

/** Closes what was opened, the last first. If something cannot be closed, logs that and closes the rest. */
final class Closer {

    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Closer.class);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T closeable) {
        opened.push(closeable);
        return closeable;
    }

    void close() {
        while (!opened.isEmpty()) {
            close(opened.pop());
        }
    }

    /** Closes one object before the others, because nothing needs it any more. */
    void closeNow(AutoCloseable closeable) {
        opened.remove(closeable);
        close(closeable);
    }

    private static void close(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            LOGGER.warn("{} is left open", closeable, e);
        }
    }
}
