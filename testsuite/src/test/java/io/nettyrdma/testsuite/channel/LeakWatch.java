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
package io.nettyrdma.testsuite.channel;

import io.nettyrdma.testsuite.support.Deviation;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Sees what loops say about what was left to them. A loop that ends closes the queue pairs that its channels have
 * forgotten, and warns of each; so nothing else would tell.
 */
public final class LeakWatch extends Handler {

    private static final SimpleFormatter FORMATTER = new SimpleFormatter();

    /** Referred to here, or the handler would go with it. */
    private final Logger logger = Logger.getLogger("io.nettyrdma.io");
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    private final Predicate<String> isExpected;

    public LeakWatch() {
        this(message -> false);
    }

    /** @param isExpected what is no complaint here. */
    public LeakWatch(Predicate<String> isExpected) {
        this.isExpected = isExpected;
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        String message = FORMATTER.formatMessage(record);
        boolean isKept = message.contains("calls have returned") && Deviation.RXE_KEEPS_WHO_DESTROYS.isHere();
        if (!isExpected.test(message) && !isKept) {
            warnings.add(message);
        }
    }

    @Override
    public void flush() {
    }

    /** When the loops have ended. */
    @Override
    public void close() {
        logger.removeHandler(this);
        assertThat(warnings).as("what the loops have complained of").isEmpty();
    }
}
