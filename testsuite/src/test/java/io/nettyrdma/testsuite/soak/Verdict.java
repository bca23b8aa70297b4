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

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicInteger;

/** Collects failures and prints each at once. Any thread. */
final class Verdict {

    /** Failures beyond this number are only counted, because they rarely differ. */
    private static final int MOST_SHOWN = 20;

    private final Runnable onFailure;
    private final AtomicInteger failures = new AtomicInteger();

    Verdict(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    void failed(String what) {
        if (failures.incrementAndGet() <= MOST_SHOWN) {
            System.out.println("FAILURE: " + what);
        }
        onFailure.run();
    }

    void failed(String what, Throwable cause) {
        StringWriter stack = new StringWriter();
        cause.printStackTrace(new PrintWriter(stack));
        failed(what + ": " + stack);
    }

    int failures() {
        return failures.get();
    }
}
