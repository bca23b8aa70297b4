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
package io.nettyrdma.testsuite.soak;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Treats every warning of Netty or the transport as a failure: leaks, forgotten queue pairs, lost exceptions. */
final class LogWatch extends Handler {

    private final SimpleFormatter formatter = new SimpleFormatter();
    private final Verdict verdict;

    private LogWatch(Verdict verdict) {
        this.verdict = verdict;
    }

    static void install(Verdict verdict) {
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        root.addHandler(new LogWatch(verdict));
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            verdict.failed(formatter.format(record));
        } else {
            System.out.print(formatter.format(record));
        }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
    }
}
