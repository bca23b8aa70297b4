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

import io.nettyrdma.testsuite.support.Deadline;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Watches the warnings of event loops about what was left to them. A loop that ends closes forgotten queue pairs and
 * warns of each, so nothing else would reveal them. A call that has not returned is accepted if it returns later: the
 * time that a destroy takes depends on the kernel and the machine.
 */
public final class LeakWatch extends Handler {

    private static final SimpleFormatter FORMATTER = new SimpleFormatter();
    /** A call that waits for our own program would never return. */
    private static final int PATIENCE_SECONDS = 30;

    /** Referenced here: if the logger were collected, the handler would be lost with it. */
    private final Logger logger = Logger.getLogger("io.nettyrdma.io");
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Predicate<String> isExpected;
    private volatile boolean isCallLeft;

    public LeakWatch() {
        this(message -> false);
    }

    /** @param isExpected messages that are no complaint here. */
    public LeakWatch(Predicate<String> isExpected) {
        this.isExpected = isExpected;
        logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
        String message = FORMATTER.formatMessage(record);
        if (isExpected.test(message)) {
            return;
        }
        if (message.contains("calls have returned")) {
            isCallLeft = true;
        } else {
            warnings.add(message);
        }
    }

    @Override
    public void flush() {
    }

    /** Call after the loops have ended. */
    @Override
    public void close() {
        logger.removeHandler(this);
        assertThat(warnings).as("what the loops have complained of").isEmpty();
        if (isCallLeft) {
            awaitCalls();
        }
    }

    private static void awaitCalls() {
        Deadline deadline = Deadline.ofSeconds(PATIENCE_SECONDS);
        while (isCalling()) {
            deadline.pause(() -> "the calls that a loop has left");
        }
    }

    private static boolean isCalling() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(thread -> thread.getKey().getName().startsWith("rdma-blocking-call"))
                .flatMap(thread -> Stream.of(thread.getValue()))
                .anyMatch(frame -> frame.getClassName().startsWith("io.nettyrdma.cm."));
    }
}
