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

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What one logger says, from a level on. */
public final class LogLines extends Handler implements AutoCloseable {

    private static final SimpleFormatter FORMATTER = new SimpleFormatter();

    /** Referenced here: if the logger were collected, the handler would be lost with it. */
    private final Logger logger;
    private final int least;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final List<Throwable> thrown = new CopyOnWriteArrayList<>();

    public LogLines(String name, Level least) {
        logger = Logger.getLogger(name);
        this.least = least.intValue();
        logger.addHandler(this);
    }

    public List<String> messages() {
        return messages;
    }

    /** Of the messages that have a stack trace. */
    public List<Throwable> thrown() {
        return thrown;
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= least) {
            messages.add(FORMATTER.formatMessage(record));
            if (record.getThrown() != null) {
                thrown.add(record.getThrown());
            }
        }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
