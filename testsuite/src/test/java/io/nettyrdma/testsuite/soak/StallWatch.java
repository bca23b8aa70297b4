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

import io.nettyrdma.testsuite.support.Deadline;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** Detects connections without progress. A live connection always has something in flight. */
final class StallWatch {

    private static final int SECONDS = 60;

    private final Map<End, Seen> seen = new HashMap<>();

    private record Seen(long progress, Deadline patience) { }

    /** @return whether a connection is stalled. */
    boolean look(Collection<End> live, Verdict verdict) {
        seen.keySet().retainAll(live);
        boolean stalled = false;
        for (End end : live) {
            Seen last = seen.get(end);
            if (last == null || last.progress() != end.progress()) {
                seen.put(end, new Seen(end.progress(), Deadline.ofSeconds(SECONDS)));
            } else if (last.patience().remainingNanos() == 0) {
                verdict.failed("STALLED: the " + end);
                stalled = true;
            }
        }
        return stalled;
    }
}
