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
package io.nettyrdma.microbench.report;

import java.util.List;

/**
 * How a section ran.
 *
 * @param seconds that it took.
 * @param commands each as a user types it.
 * @param notes such as a variant that this machine lacks.
 * @param failure why it did not run or did not end, or {@code null}.
 */
record SectionResult(String name, long seconds, List<String> commands, List<String> notes, String failure) {

    /** Of a section that was not to run. */
    static SectionResult leftOut(String name, String reason) {
        return new SectionResult(name, 0, List.of(), List.of(), reason);
    }

    /** Whether its commands did not all succeed. */
    boolean hasFailed() {
        return failure != null && !commands.isEmpty();
    }
}
