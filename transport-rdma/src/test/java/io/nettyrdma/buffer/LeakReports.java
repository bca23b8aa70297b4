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
package io.nettyrdma.buffer;

import io.netty.util.ResourceLeakDetector;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Receives the leak detector's reports in place of the log, where they would be taken for leaks of the tests. */
final class LeakReports extends Handler {

    private final List<String> reports = new CopyOnWriteArrayList<>();
    private final Logger logger = Logger.getLogger(ResourceLeakDetector.class.getName());
    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    LeakReports() {
        logger.addHandler(this);
        logger.setUseParentHandlers(false);
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    /** Whether there is a report of an object that was touched with this hint. */
    boolean mentions(String hint) {
        return reports.stream().anyMatch(each -> each.contains(hint));
    }

    @Override
    public void publish(LogRecord record) {
        reports.add(record.getMessage());
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        ResourceLeakDetector.setLevel(level);
        logger.setUseParentHandlers(true);
        logger.removeHandler(this);
    }

    @Override
    public String toString() {
        return reports.toString();
    }
}
