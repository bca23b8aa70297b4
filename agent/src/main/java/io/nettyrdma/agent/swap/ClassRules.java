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
package io.nettyrdma.agent.swap;

import java.util.List;

/** Which classes of the program get RDMA: those that the stack shows when a group, or a channel, is created. */
record ClassRules(List<String> allowed, List<String> denied) {

    /** Whether the caller may have it. Without rules no stack is walked. */
    boolean permit() {
        if (allowed.isEmpty() && denied.isEmpty()) {
            return true;
        }
        return StackWalker.getInstance().walk(frames -> {
            boolean[] isAllowed = {allowed.isEmpty()};
            boolean isDenied = frames.map(StackWalker.StackFrame::getClassName).anyMatch(name -> {
                isAllowed[0] |= matches(allowed, name);
                return matches(denied, name);
            });
            return isAllowed[0] && !isDenied;
        });
    }

    /** {@code org.acme.*} matches what begins with {@code org.acme.}, {@code org.acme.Main} it and its nested. */
    private static boolean matches(List<String> patterns, String name) {
        for (String pattern : patterns) {
            if (pattern.endsWith("*") ? name.startsWith(pattern.substring(0, pattern.length() - 1))
                    : name.equals(pattern) || name.startsWith(pattern + '$')) {
                return true;
            }
        }
        return false;
    }
}
