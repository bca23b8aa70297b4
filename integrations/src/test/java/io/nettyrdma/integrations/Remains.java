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

import io.nettyrdma.buffer.RdmaByteBufAllocator;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

import static org.assertj.core.api.Assertions.assertThat;

/** What a program leaves behind when its loops have ended: queue pairs, of which loops warn, and registered memory. */
final class Remains extends Handler {

    private static final SimpleFormatter FORMATTER = new SimpleFormatter();

    /** Referenced here: if the logger were collected, the handler would be lost with it. */
    private final Logger logger = Logger.getLogger("io.nettyrdma.io");
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    Remains() {
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        warnings.add(FORMATTER.formatMessage(record));
    }

    @Override
    public void flush() {
    }

    /** Call after the loops have ended. */
    @Override
    public void close() {
        closeLoopsStay();
        assertThat(RdmaByteBufAllocator.DEFAULT.metric().inUseBytes()).as("bytes of buffers not released").isZero();
    }

    /** The same for a program some of whose loops do not end, or later. They keep memory. */
    void closeLoopsStay() {
        logger.removeHandler(this);
        assertThat(warnings).as("what the loops have complained of").isEmpty();
    }
}
