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

import java.io.IOException;
import java.util.SplittableRandom;

/** Stops a process again and again, as a hypervisor does with a machine whose processors others want. */
final class Stops {

    private static final int SHORTEST_MILLIS = 30;
    /** The longest time between two stops. */
    private static final int PERIOD_MILLIS = 2_000;

    private final long pid;
    private final int longestMillis;
    private final SplittableRandom random;
    private final Verdict verdict;
    private final Thread thread = new Thread(this::run, "stops");
    private volatile boolean ended;

    /** @param longestMillis 0 for no stops. */
    Stops(long pid, int longestMillis, long seed, Verdict verdict) {
        this.pid = pid;
        this.longestMillis = longestMillis;
        this.verdict = verdict;
        random = new SplittableRandom(seed);
        thread.setDaemon(true);
        if (longestMillis > 0) {
            thread.start();
        }
    }

    private void run() {
        try {
            while (!ended) {
                Thread.sleep(random.nextInt(PERIOD_MILLIS));
                signal("-STOP");
                try {
                    Thread.sleep(Math.min(longestMillis, SHORTEST_MILLIS + random.nextInt(longestMillis)));
                } finally {
                    signal("-CONT");
                }
            }
        } catch (IOException | InterruptedException e) {
            verdict.failed("the server's process cannot be stopped", e);
        }
    }

    private void signal(String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", name, Long.toString(pid)).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException("kill " + name + ' ' + pid + " ended with status " + status);
        }
    }

    /** The process runs when this returns. */
    void end() throws InterruptedException {
        ended = true;
        thread.join();
    }
}
